"""A file workspace for one episode, in a process of its own without network (DR-23, DR-37).

`client.open_workspace` starts a launcher (`bubblewrap`, or `namespaces` with Landlock), which makes
a root with nothing but system libraries, the interpreter and one memory disk, and becomes the
worker there (`inside.main`). The worker is the first process of its namespace, so that what it runs
can neither kill nor outlive it; it gives up every power, puts itself under a filter of system calls
(`inside.seccomp`), and then answers one request at a time over a socket that its code never holds.
Code runs in a child under limits; when it is over every other process is killed, and what it left
is brought back to plain text files (`inside.sweep`). Paths are judged before anything is sent
(`paths`). What a workspace holds is its files and nothing else: no rights, times or empty folders,
so that one rebuilt from a log is the same.
"""
