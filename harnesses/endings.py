"""From what stopped the loop to the episode's end (DESIGN §6, DR-22, DR-32, DR-35)."""

from typing import NamedTuple

from draligned.schema.endings import EndedBy, EpisodeEnd, Outcome
from draligned.schema.errors import BadResponse, ProviderError, RequestRefused
from draligned.schema.events import ModelFailed
from draligned.schema.strictjson import visible

ACCOUNT = frozenset({401, 402, 403, 404})
"""Refusals that concern the key, the account or the model's name, not the episode."""


class Stop(NamedTuple):
    """Why the loop stopped, and what the episode comes to if nothing was submitted."""

    ended_by: EndedBy
    outcome: Outcome
    detail: str = ""


def conclude(stop: Stop, submission: str | None, reply: str | None) -> EpisodeEnd:
    """The end. `submission` and `reply` are hashes of texts delivered, if any.

    An accepted submission is the final whatever ended the run later; else a closing
    text reply is. A saved draft is not even asked for here.
    """
    if submission is not None:
        plain = stop.outcome in (Outcome.TEXT_REPLY, Outcome.SUBMITTED)
        cause = "" if plain else str(stop.outcome)
        return EpisodeEnd(
            ended_by=stop.ended_by,
            outcome=Outcome.SUBMITTED,
            final_sha256=submission,
            work_done_by_state=True,
            detail=": ".join(part for part in (cause, stop.detail) if part),
        )
    return EpisodeEnd(
        ended_by=stop.ended_by,
        outcome=stop.outcome,
        final_sha256=reply if stop.outcome is Outcome.TEXT_REPLY else None,
        work_done_by_state=False,
        detail=stop.detail,
    )


def failure_of(error: ProviderError, sequence: int) -> ModelFailed:
    """The event of a model call that failed for good; `failure` is a closed word."""
    return ModelFailed(
        sequence=sequence,
        failure=_failure(error),
        http_status=error.status,
        detail=visible(str(error)),
    )


def _failure(error: ProviderError) -> str:
    if isinstance(error, RequestRefused):
        return "request_refused"
    if isinstance(error, BadResponse):
        return str(Outcome.BAD_RESPONSE)
    return str(Outcome.RATE_LIMITED if error.status == 429 else Outcome.PROVIDER_ERROR)


def stop_of_failure(failed: ModelFailed, *, has_output: bool) -> Stop:
    """What a failed call makes of the episode. A refusal after model output censors it (Q7)."""
    said = failed.detail if failed.http_status is None else f"{failed.http_status}: {failed.detail}"
    if failed.failure == "request_refused":
        outcome = Outcome.CENSORED if has_output else Outcome.PROVIDER_ERROR
        return Stop(EndedBy.PROVIDER, outcome, said)
    return Stop(EndedBy.PROVIDER, Outcome(failed.failure), said)


def concerns_account(error: ProviderError) -> bool:
    """Whether the user must mend key, account or model name before anything can run."""
    return isinstance(error, RequestRefused) and error.status in ACCOUNT


def unreached(error: ProviderError) -> bool:
    """Whether no answer of any kind came: a wrong address, a network that is down."""
    return type(error) is ProviderError and error.status is None


def harness_stop(error: Exception) -> Stop:
    """Our own failure, with its type."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Stop(EndedBy.HARNESS, Outcome.HARNESS_ERROR, visible(said))
