# Sourced: installs Debian packages that are missing, or says which ones are.

apt_quiet() {
  local log
  log=$(DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" 2>&1) || {
    echo "$log" >&2
    return 1
  }
}

debian_packages() { # COMMAND:PACKAGE ...: the packages of those commands that are not on PATH
  local pair sudo missing=()
  for pair in "$@"; do
    PATH=$PATH:/usr/sbin command -v "${pair%%:*}" > /dev/null || missing+=("${pair#*:}")
  done
  [ ${#missing[@]} -eq 0 ] && return
  if ! command -v apt-get > /dev/null || [ "$(id -u)" -ne 0 ]; then
    echo "setup: please install what Debian calls: ${missing[*]}" >&2
    return 1
  fi
  echo "setup: installing ${missing[*]}"
  # Mosquitto's package starts a broker on the default port; the tests start their own. The first
  # of these keeps it from starting now, the second from starting with the machine.
  local policy=/usr/sbin/policy-rc.d made=
  [ -e "$policy" ] || { printf '#!/bin/sh\nexit 101\n' > "$policy"; chmod +x "$policy"; made=yes; }
  apt_quiet update &&
    apt_quiet install --yes --no-install-recommends "${missing[@]}"
  local status=$?
  [ -z "$made" ] || rm -f "$policy"
  [[ " ${missing[*]} " != *" mosquitto "* ]] || systemctl --quiet disable mosquitto 2> /dev/null || true
  return $status
}
