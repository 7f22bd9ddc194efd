"""What one workspace may use."""

from dataclasses import asdict, dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of one workspace; every one of them is enforced by the kernel or the worker.

    Memory is limited for each process and processes are counted, so that code holds at most
    `processes` x `process_bytes` of memory, and its files at most `disk_bytes` more.
    """

    file_bytes: int = MIB
    """Size of one file, and of one piece of code."""
    files: int = 256
    disk_bytes: int = 32 * MIB
    """All files together; they lie in memory."""
    output_bytes: int = 32 * 1024
    """What is kept of the output of one piece of code."""
    code_seconds: float = 10.0
    """Wall-clock time of one piece of code, and processor time of each of its processes."""
    process_bytes: int = 256 * MIB
    """Address space of one process of the code."""
    processes: int = 16
    """Processes and threads of the code at one time."""
    request_seconds: float = 30.0
    """How long the worker may take to answer; a slower one counts as broken."""

    @property
    def inodes(self) -> int:
        """How many files and folders code may have while it runs; more of them end it."""
        return self.files + 512

    def settings(self) -> dict[str, int | float]:
        """The limits as the worker is told them."""
        return {**asdict(self), "inodes": self.inodes}

    @property
    def line_bytes(self) -> int:
        """The longest line that an honest worker may send: all files, escaped."""
        return 6 * (self.disk_bytes + self.output_bytes) + MIB
