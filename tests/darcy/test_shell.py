"""Quoting: no text becomes code on the phone."""

import shlex
import subprocess

from hypothesis import given, strategies as st
import pytest

from hearthnet.darcy.shell import UnquotableError, line

PRINTABLE = st.text(
    st.characters(exclude_categories=("C", "Z"), include_characters=" ")
)


@given(st.lists(PRINTABLE, min_size=1))
def test_words_come_out_as_they_went_in(words: list[str]) -> None:
    assert shlex.split(line(*words)) == words


@given(
    st.lists(PRINTABLE.filter(lambda word: "\0" not in word), min_size=1, max_size=5)
)
def test_a_shell_reads_the_same_words(words: list[str]) -> None:
    """dash here; the phone's own mksh in `test_real_adbd`."""
    said = subprocess.run(
        ["sh", "-c", f"printf '%s\\0' {line(*words)}"],
        check=True,
        capture_output=True,
        env={"PATH": "/usr/bin:/bin"},
    )

    assert said.stdout.decode().split("\0")[:-1] == words


@given(st.text().filter(lambda text: not text.isprintable()))
def test_what_a_terminal_would_act_on_is_refused(text: str) -> None:
    with pytest.raises(UnquotableError):
        line("echo", text)


@pytest.mark.parametrize(
    "text", ["a\nb", "\x1b[2J", "\0", "x" * 2001, "\u202e", "\ud800"]
)
def test_refused(text: str) -> None:
    with pytest.raises(UnquotableError):
        line("echo", text)
