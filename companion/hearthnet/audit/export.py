"""One incident as one HTML file that needs nothing else. Pure.

No script and no address is in it, and its own policy forbids the browser to load
any; every text from the record is escaped.
"""

import base64
from collections.abc import Iterator, Sequence
from html import escape
import json
from typing import Any

from hearthnet.core.librarian.record import Event
from hearthnet.redact import Redactor

from .history import Audit

type Chain = Sequence[tuple[str, Event]]
"""Commits and their events, oldest first."""

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em;
  padding: 0 1em; color: #1c1c1e; background: #fff }
h1 { font-size: 1.4em } h2 { font-size: 1.1em }
table { border-collapse: collapse } td, th { padding: .15em 1em .15em 0; text-align:
  left; vertical-align: top }
details { border-top: 1px solid #d5d5d8; padding: .5em 0 }
summary { cursor: pointer; overflow-wrap: anywhere }
time, .type { color: #5a5a60 } .bad { color: #a40000; font-weight: 600 }
.good { color: #14602b }
pre { background: #f4f4f6; padding: .7em; white-space: pre-wrap; overflow-wrap:
  anywhere; font-size: .8em }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #18181a }
  pre { background: #262629 } time, .type { color: #a8a8ae } .bad { color: #ff8a80 }
  .good { color: #81c995 } details { border-color: #3a3a3e } }
"""


def page(intent: str, chain: Chain, found: Audit, *, redact: bool) -> str:
    """Return the page about an intent."""
    redactor = Redactor() if redact else None
    said = redactor.text if redactor else str
    told = "sound" if found.sound else "not sound"
    about = [
        ("Intent", intent),
        ("Events", str(len(chain))),
        ("Record", f"up to commit {found.tip}; {told}"),
        *(
            (f"Key of {said(node)}", f"{key.fingerprint} ({key.text})")
            for node, key in sorted(found.ledger.nodes.keys.items())
        ),
    ]
    head = "".join(f"<tr><th>{escape(name)}<td>{escape(text)}" for name, text in about)
    note = (
        "Names and words are replaced by marks, the same mark for the same text. "
        "Signatures are over the whole messages, so they are left out."
        if redact
        else "Each message is given byte for byte as it was signed (Ed25519)."
    )
    body = "".join(_events(chain, found, redactor))
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width">'
        f"<title>HearthNet: {escape(intent)}</title><style>{_STYLE}</style>"
        f"<h1>{escape(_title(chain, redactor))}</h1><table>{head}</table>"
        f"<p>{escape(note)}</p><h2>What happened</h2>{body}"
        f"{_verdict(found, redactor)}</html>\n"
    )


def _title(chain: Chain, redactor: Redactor | None) -> str:
    """Return what was asked for."""
    first = chain[0][1].message
    text = "" if first is None else str(first.body.get("text", first.content))
    return redactor.text(text) if redactor else text


def _events(chain: Chain, found: Audit, redactor: Redactor | None) -> Iterator[str]:
    said = redactor.text if redactor else str
    wrong: dict[str, list[str]] = {}
    for finding in found.findings:
        text = finding.rule if redactor else f"{finding.rule}: {finding.text}"
        wrong.setdefault(finding.commit, []).append(text)
    for commit, event in chain:
        message: dict[str, Any] = {}
        if event.message is not None:
            message = json.loads(event.data)
        shown = redactor.json(message) if redactor else message
        assert isinstance(shown, dict)
        body = shown.get("body")
        evidence = body.get("evidence") if isinstance(body, dict) else None
        words = " ".join(
            escape(said(word))
            for word in (event.outcome, event.reason)
            if word is not None
        )
        content = "" if redactor else str(message.get("content", event.problem))
        bad = wrong.get(commit, [])
        yield (
            f"<details><summary><time>{escape(str(message.get('at', '')))}</time> "
            f"<b>{escape(said(message.get('from', event.id.node)))}</b> "
            f'<span class="type">{escape(event.type)}</span> {escape(content)} '
            f"{words}{_bad(bad)}</summary><table>"
            f"<tr><th>Event<td>{escape(said(str(event.id)))}"
            f"<tr><th>Commit<td>{escape(commit)}"
            f"{_signature(event, bad, redactor)}{_evidence(evidence)}</table>"
            f"<pre>{escape(_bytes(event, shown, redactor))}</pre></details>"
        )


def _bytes(event: Event, shown: Any, redactor: Redactor | None) -> str:
    if redactor is not None:
        return json.dumps(shown, ensure_ascii=False, indent=1)
    return event.data.decode(errors="replace")


def _signature(event: Event, bad: list[str], redactor: Redactor | None) -> str:
    signed = not any(text.startswith("signature") for text in bad)
    verdict = '<span class="good">good</span>' if signed else _bad(["not good"])
    text = ""
    if event.signature is not None and redactor is None:
        text = f" {base64.b64encode(event.signature).decode()}"
    return f"<tr><th>Signature<td>{verdict}{escape(text)}"


def _evidence(evidence: Any) -> str:
    """List what a verdict rests on."""
    if not isinstance(evidence, list):
        return ""
    rows = []
    for item in evidence:
        if isinstance(item, dict):
            named = ", ".join(f"{name} {value}" for name, value in item.items())
            rows.append(f"<tr><th>Evidence<td>{escape(named)}")
    return "".join(rows)


def _bad(texts: list[str]) -> str:
    return "".join(f' <span class="bad">{escape(text)}</span>' for text in texts)


def _verdict(found: Audit, redactor: Redactor | None) -> str:
    """Say what the audit of the whole record found."""
    if found.sound:
        return "<h2>The record</h2><p>Nothing is wrong with the record.</p>"
    lines = [found.fsck] if found.fsck else []
    for finding in found.findings[:20]:
        # What it says may be a policy's words, or a path with a name.
        short = f"{finding.commit[:12]}: {finding.rule}"
        lines.append(short if redactor else str(finding))
    told = "".join(f"<li>{escape(line)}" for line in lines)
    return f'<h2>The record</h2><ul class="bad">{told}</ul>'
