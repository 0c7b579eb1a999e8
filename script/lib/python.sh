# Sourced, after uv.sh: finds or makes the interpreters. Each function prints a path.

private_python=${XDG_DATA_HOME:-$HOME/.local/share}/python3.14

is_python() { # INTERPRETER MINIMUM, such as 3.14.2: same minor version, at least that release
  "$1" - "$2" 2> /dev/null <<'PYTHON'
import sys
wanted = tuple(map(int, sys.argv[1].split(".")))
sys.exit(not (sys.version_info[:2] == wanted[:2] and sys.version_info[:3] >= wanted))
PYTHON
}

uv_python() { # MINOR: one that uv manages or can download
  uv python find --managed-python "$1" 2> /dev/null && return
  # Closed networks cannot; uv retries for long, so it gets a short time.
  timeout 30 uv python install --quiet "$1" 2> /dev/null &&
    uv python find --managed-python "$1" 2> /dev/null
}

find_python314() {
  local candidate
  for candidate in "$(command -v python3.14)" "$private_python/usr/bin/python3.14"; do
    [ -x "$candidate" ] && is_python "$candidate" 3.14.2 && echo "$candidate" && return
  done
  uv_python '>=3.14.2,<3.15' && return
  command -v apt-get > /dev/null || {
    echo "setup: Home Assistant 2026.11 needs Python 3.14.2 or newer; please install it" >&2
    return 1
  }
  echo "setup: building a private Python 3.14 in $private_python" >&2
  debian_packages patchelf:patchelf >&2
  script/python314 "$private_python" >&2
  echo "$private_python/usr/bin/python3.14"
}

find_python312() {
  local candidate
  # A pyenv shim is on PATH even when its version is not selected, hence is_python.
  for candidate in "$(command -v python3.12)" "$HOME"/.pyenv/versions/3.12*/bin/python3.12; do
    [ -x "$candidate" ] && is_python "$candidate" 3.12 && echo "$candidate" && return
  done
  uv_python 3.12
}
