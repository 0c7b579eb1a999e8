"""Whose app it is: the certificate in an APK, and a run that insists on it."""

import dataclasses
from hashlib import sha256

from hypothesis import given, strategies as st
import pytest

from hearthnet.core.phone.recipe import Recipe
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.darcy.signer import NoSignerError, certificate_digest
from tests.support.phone.apk import CERTIFICATE, DIGEST, V2, V3, apk
from tests.support.phone.framework import APK

from .conftest import Bench


async def digest_of(data: bytes) -> str:
    async def read(offset: int, length: int) -> bytes:
        assert 0 <= offset <= len(data)
        assert length >= 0
        return data[offset : offset + length]

    return await certificate_digest(len(data), read)


def pinned(recipe: Recipe, signer: str) -> Recipe:
    return dataclasses.replace(
        recipe, app=dataclasses.replace(recipe.app, signer_sha256=signer)
    )


@pytest.mark.parametrize("padding", [0, 5000, 200_000])
async def test_the_certificate_is_found(padding: int) -> None:
    assert await digest_of(apk({V2: CERTIFICATE}, padding)) == DIGEST


async def test_the_newest_scheme_counts() -> None:
    """After a change of keys the old certificate stands in the older scheme."""
    data = apk({V2: b"the old one", V3: b"the new one"})

    assert await digest_of(data) == sha256(b"the new one").hexdigest()


@pytest.mark.parametrize("data", [b"", b"PK\x05\x06", b"x" * 99999, apk({})])
async def test_no_signature(data: bytes) -> None:
    with pytest.raises(NoSignerError):
        await digest_of(data)


WHOLE = apk({V2: CERTIFICATE}, padding=10)


@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
async def test_a_changed_byte(at: int, value: int) -> None:
    data = bytearray(WHOLE)
    data[at] = value
    try:
        found = await digest_of(bytes(data))
    except NoSignerError:
        return
    assert len(found) == 64


async def test_the_right_app_is_driven(bench: Bench) -> None:
    bench.adbd.shell.files[APK] = apk({V3: CERTIFICATE})
    bench.recipe = pinned(bench.recipe, DIGEST)

    assert (await bench.run("tv.power_off")).outcome is Outcome.CHANGED
    asked = len(bench.world.log)
    assert (await bench.run("tv.power_on")).outcome is Outcome.CHANGED
    later = [words[0] for words in bench.world.log[asked:]]
    assert later.count("pm") == 1, "the certificate is looked up once"


@pytest.mark.parametrize("data", [apk({V3: b"another"}), apk({}), b""])
async def test_a_look_alike_is_not(bench: Bench, data: bytes) -> None:
    bench.adbd.shell.files[APK] = data
    bench.recipe = pinned(bench.recipe, DIGEST)

    report = await bench.run("tv.power_off")

    assert (report.outcome, report.reason) == (
        Outcome.REFUSED,
        Reason.APP_SIGNER_MISMATCH,
    )
    assert not bench.world.inputs()


async def test_an_app_whose_file_is_gone(bench: Bench) -> None:
    bench.recipe = pinned(bench.recipe, DIGEST)

    report = await bench.run("tv.power_off")

    assert report.reason is Reason.APP_SIGNER_MISMATCH
