"""Bringing an app to a screen and tapping on it, each input guarded.

Before every input: the phone is awake, unlocked and shows the app, nobody else
has touched it since the run began, and the lease still stands, checked last.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

from hearthnet.core.killpoint import killpoint
from hearthnet.core.phone.recipe import Recipe
from hearthnet.core.phone.selectors import Interrupt, Selector
from hearthnet.core.reasons import Reason

from .facts import Glance
from .link import LinkError
from .phone import Phone
from .sight import again, candidates, check_number
from .stops import Stop
from .ui import Node, Tree

_KEYBOARD = "keyboard"
_LOOKS = 3
"""How often a screen is looked at that changes between the look and the tap."""
_UNFOUND = frozenset({Reason.NODE_NOT_FOUND, Reason.AMBIGUOUS_MATCH})

type Find = Callable[[Tree], Node]
"""Finds what is to be tapped on a screen; raises Stop where it is not there."""
type Eye = Callable[[str, Sequence[Mapping[str, str]]], Awaitable[int]]
"""Has a model choose: from what is wanted and what each candidate shows to a place
among them. Raises Stop where nothing is chosen."""


class Driver:
    """One run of one recipe on one phone."""

    def __init__(
        self,
        phone: Phone,
        recipe: Recipe,
        recheck: Callable[[], None],
        eye: Eye | None = None,
    ) -> None:
        """Drive `recipe`'s app; `recheck` raises once the lease is over.

        `eye` is there if the lease lets a model be asked.
        """
        self.phone = phone
        self.recipe = recipe
        self.taps = 0
        """How many taps may have reached the phone."""
        self._recheck = recheck
        self._eye = eye
        self._touched = False
        self._pressed: dict[str, int] = {}

    # Beginning and end

    async def open(self, *, any_version: bool) -> None:
        """Bring the app to the front.

        Args:
            any_version: True when nothing will be tapped; then the app may have
                a version that nobody has checked.

        Raises:
            Stop, LinkError: it cannot be had; the phone is where it was.
        """
        self.phone.begin()
        await self._check_app(any_version=any_version)
        await self._ready()
        await self._guarded(lambda: self.phone.start(self.recipe.app))

    async def leave(self) -> None:
        """Go to the home screen, unless the owner has the phone or it is gone."""
        if self._touched and not self.phone.watch.owned:
            with suppress(LinkError, Stop):
                await self._glance()
                await self.phone.home()

    # Screens

    async def reach(self, name: str) -> Tree:
        """Wait until a screen of the recipe is shown and return it.

        Raises:
            Stop: it does not come, or something stands in front of it.
            LinkError: the phone did not answer.
        """
        end = self.phone.link.now() + self.phone.pace.arrive
        while True:
            tree = await self.look()
            try:
                tree.require(self.recipe.screens[name])
            except Stop as stop:
                if self.phone.link.now() >= end:
                    await self._diagnose(tree)
                    raise Stop(stop.reason, f"screen {name}: {stop.text}") from None
            else:
                return tree
            await asyncio.sleep(self.phone.pace.poll)

    async def look(self) -> Tree:
        """Return what is shown once no known interrupt is in front.

        Raises:
            Stop: a person has to deal with an interrupt, or there is no dump.
            LinkError: the phone did not answer.
        """
        while True:
            tree = await self.phone.look()
            interrupt = self._interrupt(tree)
            if interrupt is None:
                return tree
            presses = self._pressed.get(interrupt.name, 0)
            if not interrupt.back or presses >= interrupt.most:
                raise Stop(Reason.INTERRUPTED, f"in front: {interrupt.name}")
            await self._back(interrupt.name)

    async def tap(
        self, tree: Tree, screen: str, selector: Selector, *, vision: bool = False
    ) -> None:
        """Tap the one node of a screen that a selector matches.

        With `vision` a model may say which one that is where it matches none or
        several; the goal on the screen decides afterwards, as ever.

        Raises:
            Stop: it may not be tapped; nothing was sent.
            LinkError: if `sent`, the tap may have had its effect.
            Refused: the lease is over; nothing was sent.
        """
        package = self.recipe.screens[screen].package
        find: Find = partial(Tree.one, selector=selector, package=package)
        try:
            find(tree)
        except Stop as stop:
            if not vision or self._eye is None or stop.reason not in _UNFOUND:
                raise
            find = await self._choose(self._eye, tree, screen, selector, stop)
            tree = await self.reach(screen)
        x, y = await self._aim(tree, screen, find)
        await self._guarded(lambda: self._tap(x, y))

    async def _aim(self, tree: Tree, screen: str, find: Find) -> tuple[int, int]:
        """Return where the node is, once nothing has changed since the look."""
        hidden = False
        for _ in range(_LOOKS):
            node = find(tree)
            glance = await self._guard(self.recipe.screens[screen].package)
            if glance.keyboard:
                # It hides what the dump shows, and takes the tap.
                if hidden:
                    raise Stop(Reason.INTERRUPTED, "in front: the keyboard")
                await self._back(_KEYBOARD)
                hidden = True
            elif glance.size is None:
                raise Stop(Reason.UI_UNREADABLE, "the display's size is not told")
            elif glance.frame == tree.frame:
                return tree.point(node, glance.size)
            # Something came up, or the display was turned, since the look.
            tree = await self.reach(screen)
        raise Stop(Reason.INTERRUPTED, "the screen goes on changing")

    async def _choose(
        self, eye: Eye, tree: Tree, screen: str, selector: Selector, stop: Stop
    ) -> Find:
        """Have one of the candidates chosen; return what finds it again."""
        glance = await self._guard(self.recipe.screens[screen].package)
        if glance.size is None:
            raise stop
        seen = partial(
            candidates,
            screen=screen,
            recipe=self.recipe,
            wanted=selector,
            size=glance.size,
        )
        found = seen(tree)
        check_number(found, stop)
        self._recheck()
        try:
            at = await eye(str(selector), [dict(one.shows) for one in found])
        except Stop as none:
            text = f"{stop.text}; {none.text}"
            raise Stop(stop.reason, text, (*stop.evidence, *none.evidence)) from None
        self.phone.trail.append(f"chosen: {at + 1} of {len(found)}")
        return lambda now: again(found[at], seen(now))

    async def _tap(self, x: int, y: int) -> None:
        """Tap, and count it unless it surely did not reach the phone."""
        self.taps += 1
        try:
            await self.phone.tap(x, y)
        except Stop:
            self.taps -= 1
            raise
        except LinkError as error:
            self.taps -= not error.sent
            raise

    # Guards

    async def _guard(self, package: str) -> Glance:
        """Check at the last moment that an input would reach the app."""
        glance = await self._glance()
        if not glance.awake:
            raise Stop(Reason.SCREEN_OFF, "the screen went off")
        if glance.locked:
            raise Stop(Reason.SCREEN_LOCKED, "the phone was locked")
        if glance.shade or glance.package != package:
            front = "a system shade" if glance.shade else glance.package
            raise Stop(Reason.WRONG_FOREGROUND, f"in front: {front or 'nothing'}")
        return glance

    async def _guarded(self, send: Callable[[], Awaitable[None]]) -> None:
        """Send one input: the lease is checked in the step before it leaves."""
        self._recheck()
        self._touched = True
        killpoint()
        try:
            await send()
        finally:
            self.phone.watch.excuse(self.phone.link.now())
        killpoint()

    async def _glance(self) -> Glance:
        """Look at the phone's state; Stop when its owner uses it."""
        glance, reply = await self.phone.glance()
        self.phone.watch.check(glance, reply)
        return glance

    # Getting there

    async def _check_app(self, *, any_version: bool) -> None:
        app = self.recipe.app
        package = await self.phone.package(app.package)
        if package is None:
            raise Stop(Reason.APP_NOT_INSTALLED, f"{app.package} is not installed")
        low, high = app.version_code
        if not (any_version or low <= package.version <= high):
            text = f"version {package.version} of {app.package}, not {low} to {high}"
            raise Stop(Reason.APP_VERSION_UNVERIFIED, text)
        if app.signer_sha256 is not None:
            signer = await self.phone.signer(app.package)
            if signer != app.signer_sha256:
                text = f"{app.package} is signed by {signer[:16]}…"
                raise Stop(Reason.APP_SIGNER_MISMATCH, text)

    async def _ready(self) -> None:
        """Wake and unlock the phone as far as the recipe allows."""
        require = self.recipe.require
        glance = await self._glance()
        if not glance.awake:
            if not require.wake:
                raise Stop(Reason.SCREEN_OFF, "the screen is off")
            await self._guarded(lambda: self.phone.key("KEYCODE_WAKEUP"))
            glance = await self._until(lambda g: bool(g.awake))
            if not glance.awake:
                raise Stop(Reason.SCREEN_OFF, "the screen does not wake")
        if glance.locked and require.unlock:
            await self._guarded(self.phone.dismiss_lock)
            glance = await self._until(lambda g: not g.locked)
            if glance.locked and (size := glance.size):
                await self._guarded(lambda: self.phone.swipe_up(size))
                glance = await self._until(lambda g: not g.locked)
        if glance.locked:
            raise Stop(Reason.SCREEN_LOCKED, "the phone is locked")

    async def _until(self, fits: Callable[[Glance], bool]) -> Glance:
        """Glance until the phone's state fits, at most for about a second."""
        end = self.phone.link.now() + 5 * self.phone.pace.poll
        while True:
            glance = await self._glance()
            if fits(glance) or self.phone.link.now() >= end:
                return glance
            await asyncio.sleep(self.phone.pace.poll)

    async def _back(self, what: str) -> None:
        """Press the back key to close something that is known."""
        await self._glance()
        self._pressed[what] = self._pressed.get(what, 0) + 1
        await self._guarded(lambda: self.phone.key("KEYCODE_BACK"))

    def _interrupt(self, tree: Tree) -> Interrupt | None:
        for interrupt in self.recipe.interrupts:
            if tree.find(interrupt.has, interrupt.package):
                return interrupt
        return None

    async def _diagnose(self, tree: Tree) -> None:
        """Stop with a better reason when what is in front is not the app."""
        glance = await self._glance()
        if not glance.awake:
            raise Stop(Reason.SCREEN_OFF, "the screen went off")
        if glance.locked:
            raise Stop(Reason.SCREEN_LOCKED, "the phone was locked")
        known = {screen.package for screen in self.recipe.screens.values()}
        if not tree.packages & known:
            front = ", ".join(sorted(tree.packages)) or "nothing"
            raise Stop(Reason.WRONG_FOREGROUND, f"in front: {front[:160]}")
