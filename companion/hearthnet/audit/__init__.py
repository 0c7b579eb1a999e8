"""Check a record offline, or write one incident of it to a file.

Exit code: 0 sound, 1 something is wrong with the record, 2 it cannot be read.
"""

import argparse
from collections.abc import Mapping
import json
from pathlib import Path
import sys
from time import perf_counter
from typing import TYPE_CHECKING, Any

from hearthnet.output import write

if TYPE_CHECKING:
    from hearthnet.core.keys import VerifyKey

    from .history import Audit

CHAIN = "key.chain.json"
"""What the hub keeps beside its record once its key was renewed."""
SHOWN = 20
"""Findings that are listed; the first one is what matters."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.usage = (
        "hearthnet audit REPOSITORY [options]\n"
        "       hearthnet audit export INTENT REPOSITORY [options]"
    )
    parser.add_argument(
        "words", nargs="+", metavar="REPOSITORY", help=argparse.SUPPRESS
    )
    parser.add_argument(
        "--key",
        action="append",
        default=[],
        metavar="NODE=KEY",
        help="a node's public key, known from elsewhere (hub=...)",
    )
    parser.add_argument(
        "--chain",
        type=Path,
        metavar="FILE",
        help="the hub's key.chain.json, if it is not beside the record",
    )
    parser.add_argument(
        "--head", metavar="COMMIT", help="a commit that the record once had"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write it down, too")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="of an export; else INTENT.html"
    )
    parser.add_argument(
        "--redact", action="store_true", help="export without names and words"
    )


def run(arguments: argparse.Namespace) -> int:
    """Check or export; return the exit code."""
    # Policies and Git need packages that a phone does not have.
    from .history import UnreadableError, audit  # noqa: PLC0415

    try:
        words = arguments.words
        if not (len(words) == 1 or (len(words) == 3 and words[0] == "export")):
            sys.stderr.write("either REPOSITORY or export INTENT REPOSITORY\n")
            return 2
        keys, chain = _keys(arguments)
        start = perf_counter()
        found = audit(Path(words[-1]), keys, chain, arguments.head)
        seconds = perf_counter() - start
        if len(words) == 3:
            return _export(found, words[1], Path(words[2]), arguments)
        sys.stdout.write(_told(found, seconds))
        if arguments.json is not None:
            text = json.dumps(_as_dict(found, seconds), indent=1, ensure_ascii=False)
            write(arguments.json, f"{text}\n")
    except (UnreadableError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0 if found.sound else 1


def _keys(
    arguments: argparse.Namespace,
) -> "tuple[dict[str, VerifyKey], list[Mapping[str, str]]]":
    from hearthnet.core.keys import VerifyKey  # noqa: PLC0415

    keys = {}
    for text in arguments.key:
        node, _, key = text.partition("=")
        try:
            keys[node] = VerifyKey.from_text(key)
        except ValueError as error:
            raise ValueError(f"--key {text[:80]}: not NODE=KEY: {error}") from None
    # It proves itself: each key in it is signed by the one before.
    beside = Path(arguments.words[-1]).absolute().parent / CHAIN
    chain = arguments.chain or (beside if beside.exists() else None)
    return keys, [] if chain is None else _chain(chain)


def _chain(file: Path) -> list[Mapping[str, str]]:
    """Read a chain of keys; links that do not hold lead nowhere, but it is a list."""
    try:
        links = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is no chain of keys: {error}") from None
    if not isinstance(links, list) or not all(isinstance(one, dict) for one in links):
        raise ValueError(f"{file} is no chain of keys")
    return links


def _told(found: "Audit", seconds: float) -> str:
    """Return what people read."""
    ledger, leases = found.ledger, found.ledger.leases
    rate = ledger.events / seconds if seconds else 0.0
    lines = [
        f"{ledger.events:,} events, {leases.executes:,} executes; tip {found.tip[:12]}",
        f"{seconds:.1f} s, {rate:,.0f} events a second",
        *(
            f"{node}: key {key.fingerprint}, up to {node}.{boot}.{seq}"
            for node, key in sorted(ledger.nodes.keys.items())
            for boot, seq in (ledger.nodes.last.get(node, (0, 0)),)
        ),
        *(f"note: {note}" for note in _notes(found)),
    ]
    if found.fsck:
        lines.append(f"git fsck: {found.fsck.splitlines()[0]}")
    if found.findings:
        first = found.findings[0]
        lines.append(f"First bad commit: {first.commit}")
        lines += [f"  {finding}" for finding in found.findings[:SHOWN]]
        if (more := len(found.findings) - SHOWN) > 0:
            lines.append(f"  and {more:,} more")
    lines.append("Sound." if found.sound else "NOT sound.")
    return "\n".join(lines) + "\n"


def _notes(found: "Audit") -> list[str]:
    """Return what is no fault and should be known."""
    notes = list(found.ledger.nodes.notes)
    if found.fsck is None:
        notes.append("git is not installed, so git fsck did not run")
    if gone := found.ledger.unknown_bases:
        notes.append(
            f"{gone:,} events name commits that are not here: the history was made"
            " anew, or a librarian restored"
        )
    if unchecked := found.ledger.grants.unchecked:
        notes.append(
            f"{unchecked:,} grants do not say what their policy looked at: not asked"
            " again"
        )
    if open_ := found.ledger.leases.unanswered:
        notes.append(f"{len(open_)} executes have no receipt (yet): {open_[0]} ...")
    return notes


def _as_dict(found: "Audit", seconds: float) -> dict[str, Any]:
    ledger = found.ledger
    return {
        "sound": found.sound,
        "tip": found.tip,
        "commits": found.commits,
        "events": ledger.events,
        "executes": ledger.leases.executes,
        "seconds": round(seconds, 3),
        "keys": {node: key.text for node, key in ledger.nodes.keys.items()},
        "fsck": found.fsck,
        "notes": _notes(found),
        "findings": [finding.as_dict() for finding in found.findings],
    }


def _export(
    found: "Audit", intent: str, folder: Path, arguments: argparse.Namespace
) -> int:
    from .export import page  # noqa: PLC0415
    from .history import events  # noqa: PLC0415

    chain = [
        (commit, event)
        for commit, event in events(folder)
        if intent in (str(event.id), event.intent)
    ]
    if not chain:
        sys.stderr.write(f"nothing is on record about {intent}\n")
        return 2
    text = page(intent, chain, found, redact=arguments.redact)
    output = arguments.output or Path(f"{intent}.html")
    write(output, text)
    sys.stdout.write(f"{output}\n")
    return 0 if found.sound else 1
