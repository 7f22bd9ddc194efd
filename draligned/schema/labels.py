"""Closed sets of labels. A status is a word, never a number."""

from enum import StrEnum


class Side(StrEnum):
    """The endpoint of a factor: P is recorded, Q the counterfactual (DR-3)."""

    P = "P"
    Q = "Q"

    @property
    def other(self) -> "Side":
        """The opposite endpoint."""
        return Side.Q if self is Side.P else Side.P


class RunSet(StrEnum):
    """What a planned run is for; sets are never pooled with one another."""

    PANEL = "panel"
    """One of a pair that differs in one fact."""
    AA = "aa"
    """The P condition of a pair once more (A/A)."""
    NEUTRAL = "neutral"
    """The pair's message with nothing told in the endpoint slot."""
    TWO_FACTOR = "two_factor"
    """Told two facts (DR-13)."""


class Channel(StrEnum):
    """Functional channel of an event (DR-16); control events belong to none."""

    ACQUISITION = "acquisition"
    WORKSPACE = "workspace"
    FINALIZATION = "finalization"
    CONTROL = "control"


class Observes(StrEnum):
    """How far a source observes a channel; `none` is not zero events."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"


class SlotLabel(StrEnum):
    """What an evaluator may say of one request (DR-48)."""

    ALPHA_ONLY = "ALPHA_ONLY"
    BETA_ONLY = "BETA_ONLY"
    BOTH = "BOTH"
    NEITHER = "NEITHER"
    UNKNOWN = "UNKNOWN"


class CellStatus(StrEnum):
    """State of one request × factor cell of one read (DR-50)."""

    VALID = "valid"
    VOID = "void"
    MISSING = "missing"


class VoidReason(StrEnum):
    """Why a cell is VOID, or a whole read unreadable."""

    INVALID_LABEL = "invalid_label"
    MISSING_CELL = "missing_cell"
    DUPLICATE_CELL = "duplicate_cell"
    BAD_SHAPE = "bad_shape"
    NO_QUOTE = "no_quote"
    QUOTE_NOT_FOUND = "quote_not_found"
    UNDECODABLE = "undecodable"
    FENCE_OPEN = "fence_open"
    AMBIGUOUS = "ambiguous_json"
    EMPTY_REPLY = "empty_reply"
    LENGTH_CUT = "length_cut"
    OVERSIZE = "oversize"
    REFUSED = "request_refused"


class Presence(StrEnum):
    """Restored label of an identified unit; bits are (P, Q) (DR-57)."""

    P_ONLY = "P_ONLY"
    Q_ONLY = "Q_ONLY"
    BOTH = "BOTH"
    NEITHER = "NEITHER"
    UNKNOWN = "UNKNOWN"


class DocState(StrEnum):
    """State of a document relative to the run's own endpoint (DR-71)."""

    OWN_ONLY = "OWN_ONLY"
    OTHER_ONLY = "OTHER_ONLY"
    BOTH = "BOTH"
    NONE = "NONE"
    UNKNOWN = "UNKNOWN"
    NO_DOCUMENT = "NO_DOCUMENT"


class UnknownReason(StrEnum):
    """Why a unit has no label."""

    SINGLE_READ = "single_read"
    VOID_READ = "void_read"
    READ_MISSING = "read_missing"
    ABSTAINED = "abstained"
    MIRROR_DISAGREEMENT = "mirror_disagreement"
    NO_BASIS = "no_basis"
    UNRESOLVED_ITEMS = "unresolved_items"
    OVERSIZE = "oversize"
    NOT_OBSERVED = "not_observed"


class ReadRole(StrEnum):
    """Which of a packet's reads this is: mirror swaps endpoints, retest repeats the first."""

    FIRST = "first"
    MIRROR = "mirror"
    RETEST = "retest"


class Actor(StrEnum):
    """Whose advice an item is (DR-62)."""

    AGENT = "AGENT"
    USER_RESTATEMENT = "USER_RESTATEMENT"
    THIRD_PARTY = "THIRD_PARTY"
    UNKNOWN = "UNKNOWN"


class Role(StrEnum):
    """Place of an item in the document (DR-63)."""

    MAIN = "MAIN"
    SECONDARY = "SECONDARY"
    BACKGROUND = "BACKGROUND"
    UNRESOLVED = "UNRESOLVED"


class Action(StrEnum):
    """What is said about the item's entity."""

    RECOMMEND = "RECOMMEND"
    REJECT = "REJECT"
    CONDITION = "CONDITION"
    MENTION = "MENTION"
    UNKNOWN = "UNKNOWN"


class Strength(StrEnum):
    """How firmly it is said."""

    FIRM = "FIRM"
    HEDGED = "HEDGED"
    OPTION = "OPTION"
    UNKNOWN = "UNKNOWN"


class ItemDirection(StrEnum):
    """Direction of an item in the packet's anonymous slots; SLOT1 is ALPHA (Q9)."""

    SLOT1 = "SLOT1"
    SLOT2 = "SLOT2"
    BOTH = "BOTH"
    NEITHER = "NEITHER"
    UNKNOWN = "UNKNOWN"


class Problem(StrEnum):
    """The five fatal problems of a card (DR-11, Q2)."""

    CONTRADICTION = "contradiction"
    IMPLAUSIBLE = "implausible_endpoint"
    TASK_FORCED = "task_forced"
    ANSWER_REVEALING = "answer_revealing"
    MULTIPLE_FACTORS = "multiple_factors"


class CardOutcome(StrEnum):
    """Outcome of one construction decision (DR-12)."""

    ACCEPTED = "accepted"
    NEEDS_REVIEW = "needs_review"
    REJECTED_CONTRADICTION = "rejected_contradiction"
    REJECTED_IMPLAUSIBLE = "rejected_implausible_endpoint"
    REJECTED_TASK_FORCED = "rejected_task_forced"
    REJECTED_ANSWER_REVEALING = "rejected_answer_revealing"
    REJECTED_MULTIPLE_FACTORS = "rejected_multiple_factors"
    REJECTED_ORDERS_MATCH = "rejected_orders_match"
    REJECTED_QUOTE = "rejected_quote_not_found"
    NO_RELEVANCE = "no_relevance_row"
    NO_VALUE = "no_recognised_value"
    NO_ELIGIBLE_FIELD = "no_eligible_field"
    REVIEWER_DISAGREEMENT = "reviewer_disagreement"
    NOT_NEEDED = "not_needed"
    REJECTED_BY_USER = "rejected_by_user"
