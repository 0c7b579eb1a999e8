"""Write a configuration for Mosquitto: TLS, one user a node, topics by user."""

import argparse
import os
from pathlib import Path
import secrets
import shutil
import subprocess
import sys

from .core.bus.broker import Broker
from .core.bus.mosquitto import users, write
from .core.messages import NAME


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument("folder", type=Path, help="where to write the files")
    parser.add_argument("--prefix", required=True, help="as Home Assistant shows it")
    parser.add_argument("--host", required=True, help="the broker's name, for TLS")
    parser.add_argument("--port", type=int, default=8883)
    parser.add_argument(
        "--node",
        action="append",
        default=[],
        metavar="NAME=ROLE",
        help="a companion and its role, dewey or darcy; may be given several times",
    )
    parser.add_argument("--no-tls", action="store_true", help="for one machine only")


def run(arguments: argparse.Namespace) -> int:
    """Write the files and show the passwords once; return the exit code."""
    nodes = {"hub": "hub"}
    for pair in arguments.node:
        name, _, role = pair.partition("=")
        if not NAME.fullmatch(name) or role not in ("dewey", "darcy"):
            sys.stderr.write(f"{pair}: expected NAME=dewey or NAME=darcy\n")
            return 1
        nodes[name] = role
    folder = arguments.folder.resolve()
    try:
        new = nodes.keys() - users(folder).keys()
        passwords = {name: (secrets.token_urlsafe(18), os.urandom(12)) for name in new}
        Broker(host=arguments.host, prefix=arguments.prefix)
        write(
            folder,
            arguments.prefix,
            arguments.port,
            nodes,
            passwords,
            tls=not arguments.no_tls,
        )
        if not arguments.no_tls and not (folder / "server.crt").exists():
            _certify(folder, arguments.host)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"Written to {folder}.\n")
    if passwords:
        sys.stdout.write("These passwords are shown only now:\n")
    for name, (password, _) in passwords.items():
        sys.stdout.write(f"  {name}: {password}\n")
    return 0


def _certify(folder: Path, host: str) -> None:
    """Make an authority of this broker's own, and its certificate."""
    if (openssl := shutil.which("openssl")) is None:
        raise OSError("openssl is missing: install it, or use --no-tls")
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")

    def make(*arguments: str) -> None:
        subprocess.run(  # noqa: S603 - no shell, and the program is openssl
            [openssl, *arguments], cwd=folder, check=True, capture_output=True
        )

    make(
        *("req", "-x509", *curve, "-days", "3650", "-subj", "/CN=HearthNet"),
        # Python 3.13 and newer check strictly.
        *("-addext", "keyUsage=critical,keyCertSign,cRLSign"),
        *("-keyout", "ca.key", "-out", "ca.crt"),
    )
    make(
        *("req", *curve, "-subj", f"/CN={host}"),
        *("-keyout", "server.key", "-out", "server.csr"),
    )
    kind = "IP" if host.replace(".", "").isdigit() or ":" in host else "DNS"
    (folder / "server.ext").write_text(
        f"subjectAltName={kind}:{host}\n"
        "basicConstraints=critical,CA:FALSE\n"
        "keyUsage=critical,digitalSignature\n"
        "extendedKeyUsage=serverAuth\n"
        "subjectKeyIdentifier=hash\n"
        "authorityKeyIdentifier=keyid\n"
    )
    make(
        *("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key"),
        *("-CAcreateserial", "-days", "3650", "-extfile", "server.ext"),
        *("-out", "server.crt"),
    )
    for name in ("ca.key", "server.key"):
        (folder / name).chmod(0o600)
    for name in ("server.csr", "server.ext"):
        (folder / name).unlink()
