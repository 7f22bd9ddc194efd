"""What must hold of every episode, whatever befell it: from files and the provider's notes."""

import json
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

from draligned.schema.harness import EpisodeBudget

from .brain import CLOSING, DRAFT
from .fold import CHARGED, FREE, Episode, Json, admitted, read_episode

LASTING = ("provider_error", "bad_response", "rate_limited", "harness_error")
"""Outcomes after which a run without any model output may be attempted again (Q7)."""
REPEATED = (408, 409, 429)
"""4xx that are tried again."""


class Attempt:
    """One attempt's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.number = int(folder.name[1:])
        log = folder / "events.jsonl"
        self.episode = read_episode(log) if log.exists() else Episode([], "0" * 64)
        seal = folder / "seal.json"
        self.seal: Json | None = json.loads(seal.read_bytes()) if seal.exists() else None

    @property
    def has_output(self) -> bool:
        """Whether any model output was logged."""
        return bool(self.episode.of("model_turn"))


def attempts(root: Path, run_id: str) -> list[Attempt]:
    """All attempts of a run, in order."""
    found = (Attempt(p) for p in (root / "runs" / run_id).glob("a*"))
    return sorted(found, key=lambda a: a.number)


def text_of(root: Path, sha256: str) -> str:
    """A stored text."""
    return zlib.decompress((root / "blobs" / sha256[:2] / f"{sha256}.z").read_bytes()).decode()


def check_attempt(root: Path, attempt: Attempt, budget: EpisodeBudget, *, saved: bool) -> str:
    """All of one sealed attempt; its outcome. `saved`: the harness submits what is saved."""
    episode, seal = attempt.episode, attempt.seal
    assert seal is not None
    assert episode.end is not None
    assert seal["end"] == episode.end, "seal and log tell different ends"
    assert (seal["n_events"], seal["last_sha256"]) == (len(episode.bodies), episode.last_line)
    assert [b["kind"] for b in episode.bodies].count("ended") == 1
    check_calls(episode)
    check_budget(episode, budget)
    check_final(root, episode, saved=saved)
    check_outcome(episode, budget)
    return str(episode.end["outcome"])


def check_calls(episode: Episode) -> None:
    """Every call of every turn is answered once, in order, unless its turn was void; each answer
    has the one event that says what became of the call; ids are never empty or shared."""
    closed = {b["number"] for b in episode.of("delegation_closed")}
    for batch in episode.batches:
        calls = batch.calls
        last = batch.outcomes[max(batch.outcomes)] if batch.outcomes else {"kind": ""}
        if last["kind"] == "delegation_opened" and last["number"] not in closed:
            assert len(batch.outcomes) == len(batch.results) + 1, "it ended in a delegation"
            continue
        assert len(batch.outcomes) == len(batch.results), "a call has no result, or no outcome"
        if batch.results or (calls and not _void(episode, batch.sequence)):
            ids = [(n, c["call_id"]) for n, c in enumerate(calls)]
            results = [(r["call_index"], r["call_id"]) for r in batch.results]
            assert results == ids, "the results are not those of the calls"
            assert sorted(batch.outcomes) == list(range(len(calls)))
    ids = [c["call_id"] for batch in episode.batches for c in batch.calls]
    assert all(ids), "a call has no id"
    assert len(set(ids)) == len(ids), "two calls share an id"
    numbers = [b["request_no"] for b in episode.of("request_executed")]
    assert numbers == list(range(1, len(numbers) + 1))


def _void(episode: Episode, sequence: int) -> bool:
    """Whether a turn with calls ended its context: nothing follows it there."""
    at = next(
        n for n, b in enumerate(episode.bodies)
        if b["kind"] == "model_turn" and b["sequence"] == sequence
    )  # fmt: skip
    following = episode.bodies[at + 1]["kind"]
    return following in ("ended", "delegation_closed")


def check_budget(episode: Episode, budget: EpisodeBudget) -> None:
    """No limit is crossed; of a batch that crosses one, the calls that fit ran and no other."""
    for spent in episode.peaks:
        assert spent.decisions <= budget.decisions, "over the budget of decisions"
        assert 0 <= spent.tools <= budget.tools, "over the budget of tools"
        assert 0 <= spent.acquisition <= budget.acquisition, "over the budget of acquisition"
    for batch in episode.batches:
        written = batch.turn["usage"]["output_tokens"]
        assert batch.before.tokens - written < budget.output_tokens, "no token was left"
        denied = {n: b["budget"] for n, b in batch.outcomes.items() if b["kind"] == "budget_denied"}
        assert denied == admitted(batch, budget.tools, budget.acquisition), "wrong calls denied"


def check_final(root: Path, episode: Episode, *, saved: bool) -> None:
    """The last accepted submission is the final, else a closing reply, else nothing. No draft is,
    but where the harness submits what is saved, and then only what was."""
    end = episode.end
    assert end is not None
    submitted = [b["text_sha256"] for b in episode.of("submitted")]
    replies = [b["text_sha256"] for b in episode.of("text_reply")]
    expected = submitted[-1] if submitted else replies[-1] if replies else None
    assert end["final_sha256"] == expected, "the final is no delivered text"
    assert (end["outcome"] == "submitted") == bool(submitted) == end["work_done_by_state"]
    if not submitted:
        assert (end["outcome"] == "text_reply") == bool(replies)
    if expected is None:
        return
    text = text_of(root, expected)
    assert text.strip(), "the final says nothing"
    if text.startswith(CLOSING) and "Bearer" not in text:
        assert text.endswith("{x}"), "a cut answer became the final"
    if not saved:
        assert not text.startswith(DRAFT), "a draft became the final"
    elif submitted:
        check_saved(episode)


def check_saved(episode: Episode) -> None:
    """What is submitted by name is what was saved last under that name."""
    at: dict[str | None, str] = {}
    for body in episode.bodies:
        match body["kind"]:
            case "draft_saved":
                at[body["path"]] = at[None] = body["text_sha256"]
            case "code_run":
                at.update({f["path"]: f["text_sha256"] for f in body["saved"]})
            case "submitted":
                assert body["text_sha256"] == at[body["path"]]


def check_outcome(episode: Episode, budget: EpisodeBudget) -> None:
    """The end's word is borne out by what was logged before it."""
    assert episode.end is not None
    outcome, ended_by = episode.end["outcome"], episode.end["ended_by"]
    turns, failed = episode.of("model_turn"), episode.of("model_failed")
    last: Json = turns[-1] if turns else {"stop": None, "message": {"text": None}}
    status = failed[-1]["http_status"] if failed else None
    refused = status is not None and 400 <= status < 500 and status not in REPEATED
    denied = [f"budget_{b['budget']}" for b in episode.of("budget_denied")]
    reasons: dict[str, bool] = {
        "submitted": bool(episode.of("submitted")),
        "text_reply": bool(episode.of("text_reply")),
        "empty_reply": not last["message"].get("tool_calls"),
        "budget_decisions": episode.spent.decisions == budget.decisions,
        "budget_tools": denied[:1] == ["budget_tools"],
        "budget_acquisition": denied[:1] == ["budget_acquisition"],
        "budget_tokens": episode.spent.tokens >= budget.output_tokens or last["stop"] == "length",
        "length_cut": last["stop"] == "length",
        "loop_guard": ended_by == "hard_cap",
        "censored": bool(turns) and (refused or last["stop"] == "content_filter"),
        "provider_error": bool(failed) and (not refused or not turns),
        "bad_response": (bool(failed) and failed[-1]["failure"] == "bad_response")
        or (not last["message"].get("tool_calls") and "written as text" in episode.end["detail"]),
        "rate_limited": status == 429,
        "harness_error": "breaks its own rules" in episode.end["detail"],
    }
    assert reasons[outcome], f"{outcome} is not what happened: {episode.end}"
    if denied and outcome != "submitted":
        assert outcome == denied[0]
    assert len(failed) <= 1
    assert not failed or ended_by == "provider"


def check_attempts(found: list[Attempt]) -> None:
    """A further attempt only follows attempts that were sealed without any model output (Q7)."""
    assert [a.number for a in found] == list(range(1, len(found) + 1))
    assert len(found) <= 3
    for earlier in found[:-1]:
        assert earlier.seal is not None, "an attempt was left for the next one"
        assert not earlier.has_output, f"an attempt with output was made again: {earlier.folder}"
        assert earlier.seal["end"]["outcome"] in LASTING


def analysed(found: list[Attempt]) -> int | None:
    """The attempt that counts: the first with model output, else the last."""
    with_output = [a.number for a in found if a.has_output]
    return with_output[0] if with_output else found[-1].number if found else None


def check_tries(episode: Episode, tries: list[Json], rewritten: int) -> None:
    """Decisions are answered calls: one try of each turn was `ok`, but for turns that found no
    room on the disk and were asked for again."""
    answered = Counter(t["key"]["sequence"] for t in tries if t["outcome"] == "ok")
    turns = [b["sequence"] for b in episode.of("model_turn")]
    assert len(set(turns)) == len(turns)
    assert set(turns) <= set(answered), "a turn has no try in the ledger"
    assert answered.total() - len(turns) == rewritten, "an answer was lost"
    started = [b["sequence"] for b in episode.of("call_started")]
    assert len(set(started)) == len(started)
    assert set(turns) <= set(started)


def check_folder(root: Path, key: str) -> None:
    """No file tells the key, holds NaN, or was left aside by a write that failed."""
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        assert not path.name.startswith("._"), f"{path} was left behind"
        assert ".torn-" not in path.name, f"{path}: half a record was written"
        data = path.read_bytes()
        data = zlib.decompress(data) if path.suffix == ".z" else data
        assert key.encode() not in data, f"{path} tells the key"
        if ".json" in path.name:
            for line in data.split(b"\n"):
                if line:
                    json.loads(line, parse_constant=_no_constant)


def _no_constant(name: str) -> Any:
    raise AssertionError(f"{name} in a file")


def outcomes(episode: Episode) -> Counter[str]:
    """What became of the calls of an episode, by kind."""
    return Counter(b["kind"] for b in episode.bodies if b["kind"] in CHARGED | FREE)
