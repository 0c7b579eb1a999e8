"""Packages that no recipe may drive, whatever a policy says.

An app that can approve, pay, talk for a person, change the phone's protection
or install software would let a tap do more than move an appliance. Code keeps
this list because a recipe, or a policy, is a file that somebody may be talked
into changing.
"""

from collections.abc import Mapping
import re

_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "Home Assistant's own app": (
        "io.homeassistant.companion.android",
        "io.homeassistant.companion.android.minimal",
        "io.homeassistant.android",
    ),
    "a messenger": (
        "com.android.mms",
        "com.discord",
        "com.facebook.mlite",
        "com.facebook.orca",
        "com.google.android.apps.dynamite",
        "com.google.android.apps.messaging",
        "com.google.android.gm",
        "com.google.android.talk",
        "com.instagram.android",
        "com.kakao.talk",
        "com.microsoft.office.outlook",
        "com.microsoft.teams",
        "com.samsung.android.messaging",
        "com.skype.raider",
        "com.slack",
        "com.slack.android",
        "com.snapchat.android",
        "com.tencent.mm",
        "com.tencent.mobileqq",
        "com.viber.voip",
        "com.whatsapp",
        "com.wire",
        "com.zing.zalo",
        "ch.threema.app",
        "im.vector.app",
        "io.element.android.x",
        "jp.naver.line.android",
        "kik.android",
        "org.telegram",
        "org.thoughtcrime.securesms",
        "org.thunderdog.challegram",
    ),
    "the phone's dialer or contacts": (
        "com.android.contacts",
        "com.android.dialer",
        "com.android.incallui",
        "com.android.phone",
        "com.android.server.telecom",
        "com.google.android.contacts",
        "com.google.android.dialer",
        "com.samsung.android.contacts",
        "com.samsung.android.dialer",
    ),
    "the phone's settings": (
        "com.android.settings",
        "com.android.systemui",
        "com.android.permissioncontroller",
        "com.google.android.permissioncontroller",
        "com.coloros.safecenter",
        "com.huawei.systemmanager",
        "com.miui.securitycenter",
        "com.oneplus.security",
        "com.oplus.safecenter",
        "com.samsung.android.lool",
        "com.samsung.android.sm",
        "com.samsung.accessibility",
    ),
    "an installer of packages": (
        "com.amazon.venezia",
        "com.android.packageinstaller",
        "com.android.vending",
        "com.aurora.store",
        "com.google.android.packageinstaller",
        "com.huawei.appmarket",
        "com.miui.packageinstaller",
        "com.oppo.market",
        "com.samsung.android.packageinstaller",
        "com.sec.android.app.samsungapps",
        "com.xiaomi.market",
        "dev.imranr.obtainium",
        "moe.shizuku.privileged.api",
        "org.fdroid.fdroid",
    ),
    "a shell": (
        "com.android.shell",
        "com.termux",
        "jackpal.androidterm",
    ),
    "a keeper of passwords or codes": (
        "com.agilebits.onepassword",
        "com.azure.authenticator",
        "com.authy.authy",
        "com.beemdevelopment.aegis",
        "com.google.android.apps.authenticator2",
        "com.lastpass.lpandroid",
        "com.onepassword.android",
        "com.x8bit.bitwarden",
        "keepass2android.keepass2android",
        "org.liberty.android.freeotpplus",
    ),
    "a bank or a means of payment": (
        "com.eg.android.AlipayGphone",
        "com.google.android.apps.nbu.paisa.user",
        "com.google.android.apps.walletnfcrel",
        "com.klarna",
        "com.samsung.android.spay",
        "com.squareup.cash",
        "com.venmo",
        "de.number26.android",
        "piuk.blockchain.android",
        "se.bankgirot.swish",
    ),
}
"""Why, to the packages: each stands for itself and for all below it."""

_MONEY = re.compile(
    r"bank|banco|banque|sparkasse|revolut|monzo|paypal|wallet|payment|coinbase"
    r"|binance|kraken|metamask|crypto|bitcoin"
)
"""No list of banks is complete; a wrong refusal is cheaper than a wrong tap."""


def why_denied(package: str) -> str | None:
    """Return what an app is that no recipe may drive, None if one may."""
    for why, packages in _FAMILIES.items():
        if any(package == name or package.startswith(f"{name}.") for name in packages):
            return why
    if _MONEY.search(package.lower()):
        return "a bank or a means of payment"
    return None
