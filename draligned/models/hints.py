"""Which switch of study.toml a provider's refusal is about (HARD_CASES 4)."""

from urllib.parse import urlsplit

from draligned.schema.config import ProviderConfig

_REASONING = (
    "reasoning_content", "encrypted_content", "of type 'reasoning'", "thinking blocks",
    "thought_signature", "thoughtSignature", "reasoning_details",
)  # fmt: skip
_STREAM = ("'stream'", '"stream"', "streaming is not", "stream is not", "does not support stream")


def hint(status: int, text: str, name: str, provider: ProviderConfig) -> str:
    """What to try in study.toml, in brackets after a space; nothing where it is not clear."""
    switch = _switch(status, text, provider)
    return f" (try providers.{name}.{switch} in study.toml)" if switch else ""


def _switch(status: int, text: str, provider: ProviderConfig) -> str | None:
    if status in (301, 302, 303, 307, 308):
        return "base_url = the address it points to"
    if any(word in text for word in _REASONING):
        return f'reasoning_content = "{_other_reasoning(provider)}"'
    if provider.stream and ("stream_options" in text or "include_usage" in text):
        return "stream_usage = false"
    if any(word in text.lower() for word in _STREAM):
        return f"stream = {str(not provider.stream).lower()}"
    if "/v1/responses" in text and provider.api == "chat":
        return 'api = "responses"'
    return _nothing_there(text, provider) if status in (404, 405, 501) else None


def _nothing_there(text: str, provider: ProviderConfig) -> str | None:
    """An address without its path, or an interface that the server does not have; nothing where
    it is the model that is not there."""
    if "model" in text.lower() and "chat/completions" not in text:
        return None
    if provider.base_url and not urlsplit(provider.base_url).path.strip("/"):
        return "base_url with its path, often /v1,"
    return 'api = "chat"' if provider.api == "responses" else None


def _other_reasoning(provider: ProviderConfig) -> str:
    return "drop" if provider.reasoning_content == "echo" else "echo"
