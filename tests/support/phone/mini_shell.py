"""As much of the phone's shell as Darcy's lines need; all else is an error.

The real shell is in `real_adbd`; here a line that uses something new has to be
noticed and not half understood.
"""

from collections.abc import Iterator
from dataclasses import replace
import re
import shlex

from .framework import COMMANDS, Framework, Result

_OPERATORS = ("&&", "||", ";", "|")
_REDIRECTS = ("1>&2", "2>&1")


class MiniShell:
    """Runs lines on a phone's framework; keeps the phone's files."""

    def __init__(self, framework: Framework) -> None:
        """Start with no files."""
        self.files: dict[str, bytes] = {}
        self._framework = framework
        self._status = 0

    async def run(self, line: str) -> Result:
        """Run a line: pipelines, joined by `;`, `&&` or `||`."""
        out = err = b""
        operator = ";"
        self._status = 0
        for next_operator, pipeline in _pipelines(line):
            skipped = (operator == "&&" and self._status) or (
                operator == "||" and not self._status
            )
            operator = next_operator
            if skipped:
                continue
            passed = b""
            for words in pipeline:
                result = await self._command(words, passed)
                for path, data in result.files.items():
                    self.files[path] = data
                passed, err, self._status = result.out, err + result.err, result.code
            out += passed
        return Result(self._status, out, err)

    async def _command(self, words: list[str], given: bytes) -> Result:
        to_error = [w for w in words if w in _REDIRECTS]
        words = [w.replace("$?", str(self._status)) for w in words if w not in to_error]
        result = await self._simple(words, given)
        if "1>&2" in to_error:
            return replace(result, out=b"", err=result.err + result.out)
        if "2>&1" in to_error:
            return replace(result, out=result.out + result.err, err=b"")
        return result

    async def _simple(self, words: list[str], given: bytes) -> Result:
        if words[0] in COMMANDS:
            return await self._framework.run(words)
        if words[:3] == ["timeout", "-s", "KILL"]:
            result = await self._simple(words[4:], given)
            # What would hang until it is killed says so with -1.
            return Result(137, err=b"Killed\n") if result.code < 0 else result
        if words[0] in {"cat", "rm", "stat", "tail"}:
            return self._file(words)
        if words[0] == "grep":
            return _grep(words[1], words[2], given)
        if words[:2] == ["head", "-c"]:
            return Result(out=given[: int(words[2])])
        return _builtin(words)

    def _file(self, words: list[str]) -> Result:
        path = words[-1]
        if words[0] == "rm":
            self.files.pop(path, None)
            return Result()
        if path in self.files:
            data = self.files[path]
            if words[:3] == ["stat", "-c", "%s"]:
                return Result(out=f"{len(data)}\n".encode())
            if words[:2] == ["tail", "-c"]:
                data = data[int(words[2]) - 1 :]
            return Result(out=data)
        text = f"cat: {path}: No such file or directory\n"
        return Result(1, err=text.encode())


def _builtin(words: list[str]) -> Result:
    match words:
        case ["echo", *said]:
            return Result(out=(" ".join(said) + "\n").encode())
        case ["printf", "%s", *said]:
            return Result(out="".join(said).encode())
        case ["date", "+%H:%M:%S"]:
            return Result(out=b"10:01:05\n")
        case ["exit", code]:
            return Result(int(code))
        case ["command", "-v", name]:
            return Result(0 if name in {*COMMANDS, "timeout", "grep"} else 1)
    text = f"/system/bin/sh: {words[0]}: inaccessible or not found\n"
    return Result(127, err=text.encode())


def _pipelines(line: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Take a line apart; yields what follows each pipeline, and the pipeline."""
    pipeline: list[list[str]] = [[]]
    for word, quoted in _words(line):
        if quoted or word not in _OPERATORS:
            pipeline[-1].append(word)
        elif word == "|":
            pipeline.append([])
        else:
            yield word, pipeline
            pipeline = [[]]
    if pipeline != [[]]:
        yield ";", pipeline


def _words(line: str) -> Iterator[tuple[str, bool]]:
    """Split a line into words as a shell does; tell which were quoted."""
    pattern = re.compile(r"\s*(?:(&&|\|\||[;|])|((?:'[^']*'|\"[^\"]*\"|[^\s;|'\"])+))")
    at = 0
    while at < len(line.rstrip()):
        match = pattern.match(line, at)
        if match is None:
            raise ValueError(
                f"the fake shell does not understand {line[at : at + 40]!r}"
            )
        at = match.end()
        if match[1]:
            yield match[1], False
        else:
            if re.search(r"[`$(){}*?<>\\]", _unquoted(match[2])):
                raise ValueError(f"the fake shell does not know {match[2]!r}")
            yield "".join(shlex.split(match[2])), match[2][0] in "'\""


def _unquoted(word: str) -> str:
    """Return what a shell would interpret in a word."""
    word = re.sub(r"'[^']*'", "", word)
    return re.sub(r"^(1>&2|2>&1)$|\$\?|\"[^\"$`\\]*\"", "", word)


def _grep(option: str, pattern: str, given: bytes) -> Result:
    if option not in {"-E", "-v"}:
        raise ValueError(f"the fake shell does not know grep {option}")
    rows = given.decode(errors="replace").splitlines(keepends=True)
    found = [row for row in rows if bool(re.search(pattern, row)) == (option == "-E")]
    return Result(0 if found else 1, out="".join(found).encode())
