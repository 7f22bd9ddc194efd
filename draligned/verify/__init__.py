"""The second, independent path: a study recomputed from raw replies and logs, and compared.

Nothing here is shared with the rooms that made the study (DR-105).
"""
