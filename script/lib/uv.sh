# Sourced: puts uv on PATH, from PyPI if the machine has none.

ensure_uv() {
  local home=${XDG_DATA_HOME:-$HOME/.local/share}/hearthnet/uv
  PATH=$PATH:$home/bin
  command -v uv > /dev/null && return
  echo "setup: installing uv into $home"
  # --target works where PEP 668 forbids an ordinary install, and needs no venv module.
  python3 -m pip install --quiet --root-user-action=ignore --target "$home" uv 2>&1 |
    grep -v 'is ignored: it is neither a file nor a directory' >&2 || true
  command -v uv > /dev/null || {
    echo "setup: uv is missing and pip could not install it; see docs/development.md" >&2
    return 1
  }
}
