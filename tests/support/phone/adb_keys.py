"""The phone's side of an ADB key."""

import base64
import struct

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed


def verifies(key: bytes, token: bytes, signature: bytes) -> bool:
    """Tell whether a signature over a token is by a key in Android's form."""
    raw = base64.b64decode(key.split()[0])
    (words,) = struct.unpack_from("<I", raw)
    modulus = int.from_bytes(raw[8 : 8 + 4 * words], "little")
    exponent = int.from_bytes(raw[-4:], "little")
    public = rsa.RSAPublicNumbers(exponent, modulus).public_key()
    try:
        public.verify(signature, token, padding.PKCS1v15(), Prehashed(hashes.SHA1()))
    except InvalidSignature:
        return False
    return True
