"""Identities of runs and packets (DESIGN §4): content only, no versions, no clocks."""

from typing import Any

from draligned.schema.base import short_id


def model_key(requested_model: str, provider: str, params: dict[str, Any]) -> str:
    """Identity of a model as asked for."""
    return short_id("model", requested_model, provider, params)


def run_id(
    condition_id: str, model_key: str, harness_key: str, environment: str, replicate: int
) -> str:
    """Identity of one cell of the run inventory."""
    return short_id("run", condition_id, model_key, harness_key, environment, replicate)


def request_packet_id(run_id: str, factor_id: str, mode: str, batch: int) -> str:
    """Identity of a request packet: one run × one factor (× batch)."""
    return short_id("requests", run_id, factor_id, mode, batch)


def document_packet_id(text_sha256: str, factor_id: str) -> str:
    """Identity of a document packet: one text × one factor."""
    return short_id("document", text_sha256, factor_id)


def masked_packet_id(text_sha256: str, factor_id: str, masking: str) -> str:
    """Identity of a document packet with the user's restatements masked, by the rule `masking`."""
    return short_id("masked", text_sha256, factor_id, masking)


def seed_of(*parts: Any) -> int:
    """A 31-bit seed declared to a provider for one call."""
    return int(short_id("seed", *parts)[:8], 16) & 0x7FFFFFFF
