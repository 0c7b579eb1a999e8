"""What the doctor found, for people and as JSON."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from hearthnet.core.messages import Json


class Verdict(StrEnum):
    """How a check went."""

    FINE = "fine"
    ADVICE = "advice"
    """It works, and would work better otherwise."""
    PROBLEM = "problem"
    """Something that Darcy does will fail."""
    UNKNOWN = "unknown"
    """The phone does not tell."""


_SIGNS = {
    Verdict.FINE: "ok  ",
    Verdict.ADVICE: "note",
    Verdict.PROBLEM: "FAIL",
    Verdict.UNKNOWN: "?   ",
}


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    name: str
    verdict: Verdict
    found: str
    """What was found, in words."""
    remedy: str = ""
    """What to do about it, in words for the phone's owner."""

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "verdict": self.verdict.value,
            "found": self.found,
            "remedy": self.remedy,
        }


@dataclass
class Findings:
    """All checks, and what the phone said word for word."""

    checks: list[Check] = field(default_factory=list)
    recorded: dict[str, Json] = field(default_factory=dict)
    """Answers and times that no test without a phone can know."""

    @property
    def healthy(self) -> bool:
        """Tell whether nothing was found that will fail."""
        return all(check.verdict is not Verdict.PROBLEM for check in self.checks)

    def extend(self, checks: Iterable[Check]) -> None:
        """Add checks."""
        self.checks.extend(checks)

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form."""
        return {
            "schema": "hearthnet.doctor/1",
            "healthy": self.healthy,
            "checks": [check.as_dict() for check in self.checks],
            "recorded": self.recorded,
        }

    def text(self) -> str:
        """Return the report as people read it."""
        width = max((len(check.name) for check in self.checks), default=0)
        rows = []
        for check in self.checks:
            rows.append(f"{_SIGNS[check.verdict]}  {check.name:{width}}  {check.found}")
            if check.remedy:
                rows.append(f"{'':{width + 8}}{check.remedy}")
        failed = sum(check.verdict is Verdict.PROBLEM for check in self.checks)
        rows.append("")
        rows.append(f"{len(self.checks)} checks; problems: {failed}")
        return "\n".join(rows) + "\n"
