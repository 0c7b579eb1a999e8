"""The mutation check; what it finds is shown by running it (`script/mutations`)."""

import pytest

from script.lib.mutants import CORE, MUTATIONS, Mutation
from script.lib.mutations import ROOT


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.safeguard)
def test_every_safeguard_is_where_it_is_taken_away(mutation: Mutation) -> None:
    text = (ROOT / CORE / mutation.file).read_text("utf-8")
    assert text.count(mutation.old) == 1
    for test in mutation.tests:
        assert (ROOT / "tests" / test.partition("::")[0]).is_file()
