"""The link to a phone's adbd: one command at a time, and never one twice."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
import random
import ssl
import struct
import time

from adb_shell import exceptions as adb
from adb_shell.adb_device_async import AdbDeviceAsync
from adb_shell.auth.sign_cryptography import CryptographySigner

from hearthnet.core.reasons import Reason

from .shell import Line
from .transport import Transport

_BROKEN = (
    OSError,
    struct.error,
    adb.AdbConnectionError,
    adb.InvalidChecksumError,
    adb.InvalidCommandError,
    adb.InvalidResponseError,
)
_LATE = (TimeoutError, adb.AdbTimeoutError, adb.TcpTimeoutException)
_DIALOG = "the phone asks “Allow USB debugging?” and nobody has allowed it"
_RARER = 6
"""Doublings of the time between dialogs: at most one an hour."""
_OUT, _ERR, _EXIT = 1, 2, 3
"""Packets of adb's shell protocol, version 2."""


class LinkError(Exception):
    """The phone could not be asked, or did not answer."""

    def __init__(self, reason: Reason, text: str, *, sent: bool = False) -> None:
        """Tell why; `sent` when the command may have reached the phone."""
        super().__init__(text)
        self.reason = reason
        self.text = text
        self.sent = sent


@dataclass(frozen=True)
class Reply:
    """What a command gave back."""

    code: int
    """Its exit status."""
    out: bytes
    err: bytes
    asked: float
    """When it was sent and when it was answered, in seconds of `Link.now`."""
    answered: float

    @property
    def text(self) -> str:
        """Its output; bytes that are no UTF-8 become question marks."""
        return self.out.decode(errors="replace")

    @property
    def error(self) -> str:
        """Its error output likewise."""
        return self.err.decode(errors="replace")


@dataclass(frozen=True)
class Timing:
    """How long to wait for a phone, in seconds."""

    connect: float = 5.0
    allow: float = 5.0
    """For the owner to allow the key, when a command has to wait for it."""
    first_retry: float = 1.0
    away: float = 10.0
    """At most between attempts to reach a phone that does not answer."""
    last_retry: float = 60.0
    """At most between attempts of any kind. Dialogs start with this and get rarer."""


class Link:
    """A connection that is made when needed and dropped at the first doubt.

    A reply that was cut off cannot be told from the next one's, so after any
    error, timeout or cancellation the connection is closed. Nothing is sent
    again: whoever asked decides.
    """

    def __init__(
        self,
        host: str,
        port: int | None,
        signer: CryptographySigner | None,
        tls: ssl.SSLContext | None = None,
        *,
        timing: Timing | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Reach adbd at `host` and `port` with the key of `signer`, and of `tls`.

        Without a `port` it is that of wireless debugging.
        """
        self.now = now
        self.problem: LinkError | None = None
        """Why the phone could not be reached when it was last tried."""
        self._timing = timing or Timing()
        self._transport = Transport(host, port, tls)
        self._device = AdbDeviceAsync(self._transport, 9.0, b"hearthnet")
        self._signers = [signer] if signer else None
        self._one = asyncio.Lock()
        self._failures = 0
        self._not_before = 0.0
        self._asking = False

    @property
    def up(self) -> bool:
        """Tell whether the phone is connected."""
        return bool(self._device.available) and self._transport.alive

    def hurry(self, *, person: bool = False) -> None:
        """Let the next command connect at once.

        Where that would bring up the phone's dialog again, only if a `person`
        has asked for it.
        """
        asked = self.problem and self.problem.reason is Reason.ADB_UNAUTHORIZED
        if person or not asked:
            self._not_before = 0.0

    async def connect(self, allow: float | None = None) -> None:
        """See that there is a connection; `allow` is how long the owner has.

        Raises:
            LinkError: there is none, or it is too early to try again.
        """
        async with self._one:
            if not self.up:
                self._respect_backoff()
                await self._connect(self._timing.allow if allow is None else allow)

    async def run(self, line: Line, timeout: float, *, reconnect: bool = True) -> Reply:
        """Run one command line on the phone.

        Args:
            line: what to run.
            timeout: seconds that it may take.
            reconnect: False for what must not run after a gap, such as a tap
                at a place that was seen before it.

        Raises:
            LinkError: no answer; `sent` tells whether it may have run.
        """
        if self._asking:
            raise LinkError(Reason.ADB_UNAUTHORIZED, _DIALOG)
        async with self._one:
            if not self.up:
                if not reconnect:
                    raise LinkError(Reason.ADB_OFFLINE, "the connection was lost")
                self._respect_backoff()
                await self._connect(self._timing.allow)
            return await self._run(line, timeout)

    async def close(self) -> None:
        """Close the connection; the next command opens another."""
        async with self._one:
            self._transport.drop()

    def _respect_backoff(self) -> None:
        """Refuse to try again too soon: each attempt may raise a dialog."""
        left = self._not_before - self.now()
        if self.problem and left > 0:
            text = f"{self.problem.text} (next attempt in {left:.0f} s)"
            raise LinkError(self.problem.reason, text)

    async def _connect(self, allow: float) -> None:
        def asking(_device: object) -> None:
            self._asking = True

        try:
            await self._device.connect(
                rsa_keys=self._signers,
                transport_timeout_s=self._timing.connect,
                auth_timeout_s=allow,
                read_timeout_s=self._timing.connect,
                auth_callback=asking,
            )
        except BaseException as error:
            self._transport.drop()
            if (problem := _why_not(error, asked=self._asking)) is None:
                raise
            self._back_off(problem)
            raise problem from error
        finally:
            self._asking = False
        self.problem = None
        self._failures = 0

    def _back_off(self, problem: LinkError) -> None:
        timing = self._timing
        longest = min(timing.away, timing.last_retry)
        wait = min(timing.first_retry * 2**self._failures, longest)
        if problem.reason is Reason.ADB_UNAUTHORIZED:
            wait = timing.last_retry * 2 ** min(self._failures, _RARER)
        self._failures = min(self._failures + 1, 16)
        self._not_before = self.now() + wait * random.uniform(0.8, 1.2)  # noqa: S311
        self.problem = problem

    async def _run(self, line: Line, timeout: float) -> Reply:
        self._transport.begin_reply()
        asked = self.now()
        try:
            async with asyncio.timeout(timeout):
                # The public `shell` gives no exit status and mixes in errors.
                raw = await self._device._service(  # noqa: SLF001
                    b"shell,v2,raw",
                    line.encode(),
                    transport_timeout_s=timeout,
                    read_timeout_s=timeout,
                    timeout_s=timeout,
                    decode=False,
                )
            out, err, code = _unpack(raw)
        except BaseException as error:
            self._transport.drop()
            if isinstance(error, _LATE):
                text = f"no answer within {timeout:.0f} s: {line[:60]}"
                raise LinkError(Reason.PHONE_TIMEOUT, text, sent=True) from error
            if isinstance(error, _BROKEN):
                text = _said(error)
                raise LinkError(Reason.ADB_OFFLINE, text, sent=True) from error
            raise
        return Reply(code, out, err, asked, self.now())


def _why_not(error: BaseException, *, asked: bool) -> LinkError | None:
    """Return why a phone cannot be connected to, None for what is not about that."""
    if isinstance(error, adb.DeviceAuthError):
        return LinkError(Reason.ADB_UNAUTHORIZED, "the phone wants a key")
    if asked and isinstance(error, (*_LATE, *_BROKEN)):
        return LinkError(Reason.ADB_UNAUTHORIZED, _DIALOG)
    if isinstance(error, ssl.SSLError) and "ALERT" in (error.reason or ""):
        text = "wireless debugging does not know Darcy's key"
        return LinkError(Reason.ADB_TLS_PORT, text)
    if isinstance(error, _LATE):
        return LinkError(Reason.ADB_OFFLINE, f"no answer: {error}")
    if isinstance(error, _BROKEN):
        return LinkError(Reason.ADB_OFFLINE, _said(error))
    return None


def _said(error: BaseException) -> str:
    """Return what went wrong; only our own errors have words for people."""
    ours = isinstance(error, OSError) and error.errno is None and str(error)
    return str(error) if ours else f"{type(error).__name__}: {error}"


def _unpack(raw: bytes) -> tuple[bytes, bytes, int]:
    """Take the shell protocol's packets apart; ConnectionError when cut off."""
    streams = {_OUT: bytearray(), _ERR: bytearray(), _EXIT: bytearray()}
    at = 0
    while at < len(raw):
        kind, size = struct.unpack_from("<BI", raw, at)
        at += 5
        if at + size > len(raw):
            raise ConnectionResetError("a reply was cut off")
        if kind in streams:
            streams[kind] += raw[at : at + size]
        at += size
    if not streams[_EXIT]:
        raise ConnectionResetError("a reply without exit status")
    return bytes(streams[_OUT]), bytes(streams[_ERR]), streams[_EXIT][0]
