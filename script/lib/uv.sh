# Sourced, after debian.sh: puts uv on PATH, from PyPI if the machine has none.

ensure_uv() {
  local home=${XDG_DATA_HOME:-$HOME/.local/share}/hearthnet/uv
  PATH=$PATH:$home/bin
  # Runs it, since an installation that was cut off leaves half a file.
  uv --version > /dev/null 2>&1 && return
  python3 -m pip --version > /dev/null 2>&1 || debian_packages pip:python3-pip || return
  echo "setup: installing uv into $home"
  # --target works where PEP 668 forbids an ordinary install, and needs no venv module.
  python3 -m pip install --quiet --root-user-action=ignore --upgrade --target "$home" uv 2>&1 |
    grep -v 'is ignored: it is neither a file nor a directory' >&2 || true
  uv --version > /dev/null || {
    echo "setup: uv is missing, and pip could not install it; install uv and run this again" >&2
    return 1
  }
}
