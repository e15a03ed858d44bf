# setup.sh: sourced by ./run and ./test: the Debian packages they need, and how a preset is configured and built.
# Everything said here goes to standard error; standard output belongs to the program that is run.
# shellcheck shell=bash

say() { printf '%s\n' "$*" >&2; }

# Packages; a|b means that either will do, and the first is installed when both are missing; a:b that b is the command it brings, which may
# have come from elsewhere.
build_packages=(gcc libc6-dev cmake ninja-build pkgconf libsundials-dev libyaml-dev libexpat1-dev libsqlite3-dev libhdf5-dev libwebsockets-dev libcminpack-dev libnlopt-dev
  'gnuplot-nox|gnuplot-qt|gnuplot-x11' nodejs:node npm:npm)
test_packages=(check clang clang-format libccd-dev libclang-rt-14-dev binutils chromium python3:python3 python3-pytest mypy python3-build python3-pandas)

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | head -n 1)" = installed ]
}

# Installs those of the named packages that are missing. Touches nothing, not even the network, if none is.
need_packages() {
  local missing=() choice name found as_root=()
  if ! command -v dpkg-query > /dev/null; then
    say "This is not Debian: make sure that these, or what stands for them, are there: $*"
    return 0
  fi
  for choice in "$@"; do
    if [[ $choice == *:* ]] && command -v "${choice#*:}" > /dev/null; then
      continue
    fi
    choice=${choice%%:*}
    found=no
    for name in ${choice//|/ }; do
      if is_installed "$name"; then
        found=yes
        break
      fi
    done
    [ $found = yes ] || missing+=("${choice%%|*}")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  say "Missing packages: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo > /dev/null; then
      say "They can only be installed by root, and there is no sudo. As root, do:"
      say "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
    [ -t 0 ] || as_root=(sudo -n)
  fi
  if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"; } >&2; then
    say "Could not install ${missing[*]}. Is the network there, and may this user install? By hand, as root:"
    say "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    return 1
  fi
}

# configure_and_build NAME SETTING...: build/NAME, from the preset of this name or, if the first setting is not an
# option, from the preset it names. A folder that was copied from elsewhere is thrown away: CMake refuses such.
configure_and_build() {
  local name=$1 preset=$1 folder=$root/build/$1 home
  shift
  if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
    preset=$1
    shift
  fi
  if [ -f "$folder/CMakeCache.txt" ]; then
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$folder/CMakeCache.txt")
    [ "$home" = "$root" ] || rm -rf "$folder"
  fi
  if ! mkdir -p "$folder" || [ ! -w "$folder" ]; then
    say "$folder cannot be written; remove it (an earlier run as root may have made it) or change its owner."
    return 1
  fi
  say "== $name: configure and build"
  (cd "$root" && cmake --preset "$preset" -B "$folder" "$@" > "$folder/configure.log" 2>&1) || {
    cat "$folder/configure.log" >&2
    return 1
  }
  cmake --build "$folder" >&2 || return 1
}

# Under sudo the build folder should still belong to the user who typed the command.
give_build_back() {
  if [ "$(id -u)" -eq 0 ] && [ -n "${SUDO_UID:-}" ] && [ -d "$root/build" ]; then
    chown -R "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$root/build"
  fi
}

# The Python package: Debian's Python, whatever else is first on the path, in an environment of its own under build/python.
python_packages=(python3-dev python3-venv python3-pip python3-setuptools python3-wheel python3-numpy python3-matplotlib)

# install_python: builds the wheel against build/release and installs it in build/python, which sees Debian's packages too. PYTHON names another
# interpreter.
install_python() {
  local python=${PYTHON:-/usr/bin/python3} home=$root/build/python
  command -v "$python" > /dev/null || python=python3
  say "== python: environment and package"
  if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
    say "$python is $("$python" --version 2>&1 || true); the package needs CPython 3.11 or newer. Name one: PYTHON=python3.12 ./run --python"
    return 1
  fi
  if [ ! -x "$home/bin/python" ] || ! "$home/bin/python" -c '' 2> /dev/null; then
    rm -rf "$home"
    "$python" -m venv --system-site-packages "$home" >&2 || return 1
  fi
  "$home/bin/python" -m pip --disable-pip-version-check install --quiet --no-index --no-build-isolation --no-deps \
    --force-reinstall "$root/python" >&2
}
