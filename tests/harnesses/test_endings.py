"""What an episode comes to: hand-made cases of every rule."""

import pytest

from draligned.harnesses.endings import (
    Stop,
    concerns_account,
    conclude,
    failure_of,
    harness_stop,
    stop_of_failure,
    unreached,
)
from draligned.schema.endings import EndedBy, Outcome
from draligned.schema.errors import BadResponse, ProviderError, RequestRefused

A, B = "a" * 64, "b" * 64


@pytest.mark.parametrize("outcome", [o for o in Outcome if o is not Outcome.SUBMITTED])
def test_an_accepted_submission_is_the_final_whatever_ends_the_run(outcome: Outcome) -> None:
    end = conclude(Stop(EndedBy.BUDGET, outcome, "why"), A, B)
    assert end.outcome is Outcome.SUBMITTED
    assert end.final_sha256 == A
    assert end.work_done_by_state
    assert end.ended_by is EndedBy.BUDGET
    assert end.detail == ("why" if outcome is Outcome.TEXT_REPLY else f"{outcome}: why")


@pytest.mark.parametrize("outcome", [o for o in Outcome if o is not Outcome.SUBMITTED])
def test_without_one_only_a_closing_text_reply_is(outcome: Outcome) -> None:
    end = conclude(Stop(EndedBy.NO_TOOL_CALL, outcome), None, B)
    assert end.outcome is outcome
    assert end.final_sha256 == (B if outcome is Outcome.TEXT_REPLY else None)
    assert not end.work_done_by_state


@pytest.mark.parametrize(
    ("error", "has_output", "outcome"),
    [
        (RequestRefused("no", status=400), True, Outcome.CENSORED),
        (RequestRefused("no", status=400), False, Outcome.PROVIDER_ERROR),
        (BadResponse("<html>", status=200), True, Outcome.BAD_RESPONSE),
        (ProviderError("down", status=503), True, Outcome.PROVIDER_ERROR),
        (ProviderError("no connection"), False, Outcome.PROVIDER_ERROR),
        (ProviderError("slow down", status=429), True, Outcome.RATE_LIMITED),
    ],
)
def test_failures_of_a_provider(error: ProviderError, has_output: bool, outcome: Outcome) -> None:
    event = failure_of(error, 3)
    assert event.sequence == 3
    assert event.http_status == error.status
    stop = stop_of_failure(event, has_output=has_output)
    assert (stop.ended_by, stop.outcome) == (EndedBy.PROVIDER, outcome)
    assert str(error) in stop.detail


def test_refusals_that_concern_the_account() -> None:
    assert concerns_account(RequestRefused("key", status=401))
    assert not concerns_account(RequestRefused("bad request", status=400))
    assert not concerns_account(ProviderError("down", status=503))


def test_only_a_call_that_nobody_answered_is_unreached() -> None:
    assert unreached(ProviderError("no connection"))
    assert not unreached(ProviderError("down", status=503))
    assert not unreached(BadResponse("not the protocol"))


def test_our_own_failures_carry_their_type_on_one_safe_line() -> None:
    stop = harness_stop(KeyError("a\nb\u202e"))
    assert (stop.ended_by, stop.outcome) == (EndedBy.HARNESS, Outcome.HARNESS_ERROR)
    assert stop.detail.startswith("KeyError: ")
    assert stop.detail.isprintable()
