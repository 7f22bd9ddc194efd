"""DRaligned: counterfactual behavioural evaluation of autonomous deep-research agents."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from draligned.api import Study as Study
    from draligned.api import open as open

__version__ = "0.1.0"
__all__ = ["Study", "__version__", "open"]


def __getattr__(name: str) -> Any:
    if name in {"open", "Study"}:
        from draligned import api

        return getattr(api, name)
    raise AttributeError(f"module 'draligned' has no attribute {name!r}")
