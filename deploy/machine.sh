# Sourced by the scripts beside it: says what a machine lacks, and installs what it can.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '== %s\n' "$*"; }

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# What --yes of the scripts does: nothing is asked.
assume_yes=
ask_nothing() { assume_yes=yes; }

# Asks on a terminal; without one, and with --yes, the answer is yes.
agreed() {
    local answer
    [ -z "$assume_yes" ] && [ -t 0 ] || return 0
    read -r -p "   $1 [Y/n] " answer || return
    [[ $answer =~ ^([Yy].*)?$ ]]
}

# The version of a Swift compiler that is 6.3 or newer.
new_enough() {
    local version
    version=$("$1" --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1) || true
    [ -n "$version" ] && [ "$(printf '%s\n6.3\n' "$version" | sort -V | head -n 1)" = "6.3" ]
}

# An installed Swift 6.3 or newer is used as it is. Where there is none, swift.org's is fetched.
require_swift() {
    new_enough swift && return
    # shellcheck source=deploy/toolchain.sh
    . "$root/deploy/toolchain.sh"
    use_toolchain
}

# What building needs, under Debian's names.
# shellcheck disable=SC2034
build_packages=(libpq-dev libsqlite3-dev libzmq3-dev libzstd-dev pkg-config)

# Installs those of the named Debian packages that are missing. Of what is there as little as possible is upgraded, after a
# question.
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
    # Versions of the lists that are there fit to what is installed; those of newer lists may bring upgrades of it.
    install_packages "${missing[@]}" || {
        "${privileged[@]}" apt-get update -q
        install_packages "${missing[@]}"
    } || fail "apt-get cannot install ${missing[*]}"
}

install_packages() {
    local upgraded
    upgraded=$(apt-get install -s --no-install-recommends --no-upgrade "$@" 2>/dev/null |
        sed -n 's/^Inst \([^ ]*\) \[.*/\1/p' | paste -sd ' ') || return
    if [ -n "$upgraded" ]; then
        say "this upgrades what they need in the same version: $upgraded"
        agreed "Upgrade these, too?" || fail "these packages are needed: $*"
    fi
    "${privileged[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -yq --no-install-recommends --no-upgrade "$@"
}

# Builds the package in release mode, with these arguments. So that none of the scripts builds again what another has built,
# all have the same targets, and SwiftPM passes settings in the same order: otherwise in that of a hash table.
build() {
    [ -e "$root/.build/release" ] || say "building for the first time: ${first_build:-about 10 minutes} on two cores"
    say "building; the numbers in brackets say how far it is"
    PERENNIAL_BENCHMARKS=1 SWIFT_DETERMINISTIC_HASHING=1 swift build --package-path "$root" -c release "$@"
}

# Builds the program alone.
build_perennial() {
    build --product perennial
    # shellcheck disable=SC2034
    perennial=$root/.build/release/perennial
}
