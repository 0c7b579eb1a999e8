"""How the decisions of two runs differ, chain by chain, for people to read. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher, unified_diff
import re

_RULED = re.compile("    (?:denied|refused|a person is asked): ")
_RULE = re.compile(r"\(([\w-]+)\)")
_TASK, _VERDICT = "  ", "    "

type Block = list[str]


@dataclass(frozen=True, kw_only=True)
class Differing:
    """The chains that differ."""

    lines: Sequence[str] = ()
    """Of those chains what differs, below what it belongs to; the first letter of a
    line is `-` for what was recorded, `+` for what was replayed."""
    chains: int = 0
    """How many there are."""
    first: Sequence[str] = ()
    """What was decided otherwise first: about what, was, is."""
    rules: Counter[str] = field(default_factory=Counter)
    """How many decisions more, or fewer, each rule has made."""

    @property
    def changed(self) -> int:
        """How many lines differ."""
        return sum(line[0] in "+-" for line in self.lines)

    def told(self, of: int) -> Iterator[str]:
        """Yield the lines that people read; nothing where there is no difference.

        `of` is how many chains there are in all.
        """
        if not self.lines:
            return
        yield f"{self.chains} of {of} chains differ. What differs first:"
        yield from (f"  {line}" for line in self.first)
        if rules := [f"{n:+d} {rule}" for rule, n in self.rules.most_common() if n]:
            yield f"Decisions by rule: {', '.join(rules)}"
        yield from self.lines


def differing(before: Sequence[str], after: Sequence[str]) -> Differing:
    """Compare two runs' chains, see `chains.chains`."""
    lines: list[str] = []
    first: list[str] = []
    chains = 0
    for old, new in _pairs(blocks(before), blocks(after)):
        if old == new:
            continue
        chains += 1
        found = list(_chain(old, new))
        first = first or _first(found)
        lines += found
    rules = _rules(after)
    rules.subtract(_rules(before))
    return Differing(lines=lines, chains=chains, first=first, rules=rules)


def blocks(lines: Sequence[str], inside: str = "") -> list[Block]:
    """Split lines into blocks: each begins with a line that is indented as `inside`."""
    found: list[Block] = []
    for line in lines:
        if not found or not line.startswith(f"{inside}  "):
            found.append([])
        found[-1].append(line)
    return found


def _pairs(old: list[Block], new: list[Block]) -> Iterator[tuple[Block, Block]]:
    """Pair blocks that begin alike; what has no match is paired with nothing."""
    before, after = ([block[0] for block in one] for one in (old, new))
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            yield from zip(old[i:j], new[k:m], strict=True)
        else:
            yield from ((block, []) for block in old[i:j])
            yield from (([], block) for block in new[k:m])


def _chain(old: Block, new: Block) -> Iterator[str]:
    """Yield what differs in a chain, below its head and the tasks' own."""
    if not old or not new:
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
        return
    yield f" {old[0]}"
    for a, b in _pairs(blocks(old[1:], _TASK), blocks(new[1:], _TASK)):
        if a != b:
            yield from list(unified_diff(a, b, lineterm="", n=len(a) + len(b)))[3:]


def _first(lines: Sequence[str]) -> list[str]:
    """Return what a chain's first difference is about, and its two sides."""
    about: list[str] = []
    for number, line in enumerate(lines):
        text = line[1:]
        if line[0] in "+-":
            rest = lines[number:]
            was = next((one for one in rest if one[0] == "-"), None)
            now = next((one for one in rest if one[0] == "+"), None)
            sides = [one[0] + one[1:].lstrip() for one in (was, now) if one]
            return [*about, *sides]
        if not text.startswith(_TASK):
            about = [text]
        elif not text.startswith(_VERDICT):
            about = [about[0], text.strip()]
    return about


def _rules(lines: Sequence[str]) -> Counter[str]:
    ruled = filter(_RULED.match, lines)
    return Counter(rule for line in ruled for rule in _RULE.findall(line))
