"""Why a workspace refuses a path or a change: a closed set, each told to the agent by name."""

from enum import StrEnum


class RefusalReason(StrEnum):
    """What a tool of the workspace refused (HARD_CASES 20, DR-37)."""

    EMPTY_PATH = "empty_path"
    ABSOLUTE_PATH = "absolute_path"
    PARENT_PATH = "parent_path"
    DRIVE_PATH = "drive_path"
    BACKSLASH = "backslash"
    BAD_CHARACTER = "bad_character"
    RESERVED_NAME = "reserved_name"
    NAME_TOO_LONG = "name_too_long"
    PATH_TOO_DEEP = "path_too_deep"
    SYMLINK = "symlink"
    NOT_A_FILE = "not_a_file"
    """A folder, a device, a pipe or a socket."""
    NOT_FOUND = "not_found"
    NOT_TEXT = "not_text"
    TOO_LARGE = "too_large"
    TOO_MANY_FILES = "too_many_files"
    NO_SPACE = "no_space"
    OLD_TEXT_MISSING = "old_text_missing"
    OLD_TEXT_NOT_UNIQUE = "old_text_not_unique"
    NOTHING_SAVED = "nothing_saved"
