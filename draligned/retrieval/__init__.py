"""Search and read: the embedded corpus, and what live providers share with it."""

import logging

# Set before any of these libraries is imported, since some log while they are. What they have to
# say of a page is said by the answer's status; nothing of it may reach a terminal.
for _name in ("trafilatura", "htmldate", "justext", "courlan", "readability", "charset_normalizer"):
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)
