"""The one exception tree, split by who must act.

DralignedError
├── UserError            the user can fix it: one line, exit code 2
│   ├── ConfigError      study.toml, options, hand-written files
│   ├── DesignError      cards and the frozen design
│   ├── InputError       data files that cannot be read
│   ├── InventoryError   aggregation over an incomplete or wrong inventory
│   └── ReplayError      a replay asks for what was not recorded, or was recorded otherwise
├── DamageError          a file of the study does not say what it should
├── ProviderError        a provider failed; the attempt policy is used up
│   ├── RateLimited      told to wait longer than allowed: the cell stays open
│   ├── BadResponse      an answer that is not the protocol's
│   └── RequestRefused   4xx: asking again would not help
├── SpendLimit           a limit set by the user was reached: cells stay open
├── WorkspaceRefusal     the agent asked for what its workspace refuses; it is told so by name
└── SandboxFailed        the harness's own sandbox broke: never the agent's doing, not charged
"""

from draligned.schema.refusals import RefusalReason


class DralignedError(Exception):
    """Base of every error raised on purpose."""


class UserError(DralignedError):
    """The user can fix this; the message says how, in one line."""


class ConfigError(UserError):
    """A setting is wrong."""


class DesignError(UserError):
    """A card, a condition or the frozen design is wrong."""


class InputError(UserError):
    """A data file cannot be read."""


class InventoryError(UserError):
    """The study is incomplete, or holds something that was not planned."""


class ReplayError(UserError):
    """A replay cannot go on: `key` names what was not recorded, or was recorded otherwise."""

    def __init__(self, message: str, *, key: str) -> None:
        super().__init__(f"{message} ({key})")
        self.key = key


class DamageError(DralignedError):
    """A stored file is damaged."""


class ProviderError(DralignedError):
    """A provider failed and the attempt policy is used up."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class RateLimited(ProviderError):
    """The provider asks for a longer wait than the policy allows."""


class BadResponse(ProviderError):
    """The provider answered with something that is not its protocol."""


class RequestRefused(ProviderError):
    """The provider refused the request (4xx); it is not sent again."""


class SpendLimit(DralignedError):
    """A spending limit was reached; open cells stay open."""


class WorkspaceRefusal(DralignedError):
    """A workspace refuses a path or a change: the agent is told, the episode goes on."""

    def __init__(self, reason: RefusalReason, path: str | None = None) -> None:
        super().__init__(f"{reason.value}: {path!a}")
        self.reason = reason
        self.path = path


class SandboxFailed(DralignedError):
    """The process of a workspace died, hung or answered nonsense: a failure of the harness."""
