"""What a failed POST means: to be tried again, or refused, and in which words."""

import json
from datetime import datetime
from urllib.parse import urlsplit

from draligned.models.hints import hint
from draligned.models.retry import Failed, FailureKind
from draligned.models.transport import Broken
from draligned.models.waits import told_wait
from draligned.schema.config import ProviderConfig
from draligned.schema.strictjson import visible

_SHOWN = 200
_NO_CREDIT_CODES = ("insufficient_quota", "insufficient_balance")


def classify(broken: Broken, name: str, provider: ProviderConfig, now: datetime) -> Failed:
    """A `Failed` for the retry owner; `name` is the provider's name in study.toml."""
    if broken.status is None:
        kind: FailureKind = "timeout" if broken.kind == "timeout" else "connection"
        detail = f"provider {name}{_place(provider)}: {_line(broken.text)}"
        return Failed(kind=kind, status=None, detail=detail)
    status = broken.told_status or broken.status
    kind = _kind_of(status, broken.text)
    return Failed(
        kind=kind,
        status=status,
        detail=_detail(broken, name, provider, kind),
        told_wait=told_wait(broken.headers, now) if kind in _WAITING else None,
    )


def _place(provider: ProviderConfig) -> str:
    """Where a provider was sought: host and port, and nothing else of its address."""
    host = urlsplit(provider.base_url or "").netloc.rpartition("@")[2]
    return f" at {visible(host, _SHOWN)}" if host else ""


_WAITING: frozenset[FailureKind] = frozenset({"rate_limited", "server_error"})


def _kind_of(status: int, text: str) -> FailureKind:
    """408, 409, 425, 429 and 5xx are tried again; every other status is final."""
    if status == 402 or (status == 429 and any(c in text for c in _NO_CREDIT_CODES)):
        return "no_credit"
    if status == 429:
        return "rate_limited"
    if status in (408, 409, 425) or status >= 500:
        return "server_error"
    return "refused"


def _detail(broken: Broken, name: str, provider: ProviderConfig, kind: FailureKind) -> str:
    status = broken.told_status or broken.status or 0
    if status in (401, 403):
        return _not_allowed(broken, name, provider)
    said = error_message(broken.text)
    line = f"provider {name} answered {_status_line(broken)}: {said}"
    if kind == "no_credit":
        return f"{line} (no credit left: the cell stays open)"
    if kind == "refused":
        return line + hint(status, broken.text, name, provider)
    return line


def _status_line(broken: Broken) -> str:
    """The status, where an error inside says another, both; of a redirect, where it points."""
    if broken.told_status not in (None, broken.status):
        return f"{broken.status} with error {broken.told_status}"
    location = broken.headers.get("location")
    return f"{broken.status} to {visible(location, _SHOWN)}" if location else f"{broken.status}"


def _not_allowed(broken: Broken, name: str, provider: ProviderConfig) -> str:
    """A line that says where the key comes from, and never what it is."""
    source = (
        f"the key in the environment variable {provider.api_key_env}"
        if provider.api_key_env
        else f"a call without a key (providers.{name}.api_key_env is not set)"
    )
    said = error_message(broken.text)
    return f"provider {name} refused {source} with {_status_line(broken)}: {said}"


def error_message(text: str) -> str:
    """The message inside an error body, else its first characters, on one safe line."""
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError):
        return _line(text)
    if isinstance(payload, list) and payload:
        payload = payload[0]
    error = payload.get("error") if isinstance(payload, dict) else None
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        return _line(error["message"])
    return _line(error if isinstance(error, str) else text)


def _line(text: str) -> str:
    return visible(text, _SHOWN) or "(empty body)"
