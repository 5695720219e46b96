# Sourced by the scripts beside it: says what a machine lacks, and installs what it can.

say() { printf '== %s\n' "$*"; }

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# The toolchain is the one thing these scripts do not install.
require_swift() {
    command -v swift >/dev/null 2>&1 ||
        fail "no Swift toolchain found: install Swift 6.3 or newer (https://www.swift.org/install/linux/) and put it on the PATH"
    local version
    version=$(swift --version 2>&1 | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1) || true
    [ -n "$version" ] || fail "'swift --version' does not work here: $(swift --version 2>&1 | head -n 1 || true)"
    [ "$(printf '%s\n6.3\n' "$version" | sort -V | head -n 1)" = "6.3" ] ||
        fail "Swift $version is too old: Perennial needs Swift 6.3 or newer"
}

# What building needs, under Debian's names.
# shellcheck disable=SC2034
build_packages=(libpq-dev libsqlite3-dev libzmq3-dev libzstd-dev pkg-config)

# Installs those of the named Debian packages that are missing; asks nothing.
require_packages() {
    local missing=()
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    command -v apt-get >/dev/null 2>&1 ||
        fail "these libraries are needed, under the names that Debian gives them: ${missing[*]}"
    local privileged=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 || fail "run as root or with sudo once, to install: ${missing[*]}"
        privileged=(sudo)
    fi
    say "installing ${missing[*]}"
    "${privileged[@]}" apt-get update -q
    "${privileged[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends "${missing[@]}"
}
