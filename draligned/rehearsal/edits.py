"""An edit that turns one text into another."""


def passage(current: str, target: str) -> tuple[str, str] | None:
    """The shortest run of lines to replace, and its replacement; none if no edit does it.

    What is replaced occurs in `current` exactly once, even where occurrences may overlap.
    """
    if current == target:
        return None
    old, new = current.splitlines(keepends=True), target.splitlines(keepends=True)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    while True:
        piece = "".join(old[head : len(old) - tail])
        if piece.strip() and current.find(piece) == current.rfind(piece):
            return piece, "".join(new[head : len(new) - tail])
        if not head and not tail:
            return None
        head, tail = max(head - 1, 0), max(tail - 1, 0)


def _common(one: list[str], two: list[str]) -> int:
    """How many lines both begin with."""
    same = (a == b for a, b in zip(one, two, strict=False))
    return next((i for i, equal in enumerate(same) if not equal), min(len(one), len(two)))
