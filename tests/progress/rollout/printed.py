"""Tables 19 and 20 as printed, from the files of the specification's counts."""

TABLE19 = {
    "B1": (40.8, 22.7, 1.6, 33.3, 6, 3), "B2": (53.8, 0, 0, 45.5, 1, 3),
    "A": (40.8, 0, 0, 59.0, 0, 1), "A-matched": (81.1, 0, 0, 18.6, 2, 0),
}  # fmt: skip
"""Task ok, dead end, premature, stall in per cent of 576; turn cap and transport as counts."""
TABLE20 = {
    "a": ("deepseek-v4-flash", 18, 41, 0, 13, 26, 46, 11),
    "b": ("deepseek-v4-pro", 25, 5, 0, 42, 31, 40, 8),
    "c": ("glm-5.1", 52, 0, 5, 15, 55, 17, 4),
    "d": ("gpt-4.1", 22, 0, 1, 48, 30, 41, 11),
    "e": ("gpt-4.1-mini", 17, 5, 1, 47, 25, 46, 11),
    "f": ("qwen3.5-122b-a10b", 50, 0, 0, 17, 32, 40, -25),
    "g": ("qwen3.5-35b-a3b", 2, 69, 0, 1, 51, 20, 68),
    "h": ("qwen3.6-27b", 49, 11, 2, 9, 60, 12, 15),
}
"""B1: ok, dead end, premature, stall; B2: ok, stall; B2 - B1 in points. Of 72 each."""
