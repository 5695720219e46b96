# Sourced by machine.sh on a machine without Swift 6.3: fetches swift.org's toolchain for Debian 12 into .toolchain/.
# PERENNIAL_TOOLCHAIN_URL names a place that has it under the same paths, and the key under keys/.

toolchain=swift-6.3.1-RELEASE
# "Swift 6.x Release Signing Key <swift-infrastructure@forums.swift.org>": https://www.swift.org/keys/active/, and the
# Dockerfiles of the official images, https://github.com/swiftlang/swift-docker (6.3/debian/12).
toolchain_key=52BB7E3DE28A71BE22EC05FFEF80A866B47A981F
# What swift.org says that it needs on Debian 12, without what build_packages has.
toolchain_packages=(
    binutils gcc git libc6-dev libcurl4-openssl-dev libedit-dev libicu-dev libncurses-dev libpython3-dev
    libstdc++-12-dev libxml2-dev tzdata uuid-dev
)
toolchain_folder=${root:?}/.toolchain

# Puts the toolchain on the PATH, and fetches it before where it is missing.
use_toolchain() {
    local platform
    case $(. /etc/os-release && printf %s "$ID$VERSION_ID")-$(uname -m) in
    debian12-x86_64) platform=debian12 ;;
    debian12-aarch64) platform=debian12-aarch64 ;;
    *) fail "no Swift 6.3 or newer found: install it (https://www.swift.org/install/linux/) and put it on the PATH" ;;
    esac
    local programs=$toolchain_folder/$toolchain-$platform/usr/bin
    [ -x "$programs/swift" ] || fetch_toolchain "$platform"
    export PATH="$programs:$PATH"
}

fetch_toolchain() {
    require_packages ca-certificates curl gnupg
    local archive=${PERENNIAL_TOOLCHAIN_URL:-https://download.swift.org}/${toolchain,,}/$1/$toolchain/$toolchain-$1.tar.gz
    local key=${PERENNIAL_TOOLCHAIN_URL:-https://www.swift.org}/keys/release-key-swift-6.x.asc
    local head size free
    head=$(curl -fsSIL --connect-timeout 30 "$archive" 2>&1) || fail "no Swift 6.3 found, nor $archive: ${head##*curl: }"
    size=$(sed -n 's/^content-length: *\([0-9]*\).*/\1/Ip' <<<"$head" | tail -n 1)
    size=${size:-0}
    say "no Swift 6.3 found; $archive has it: $((size / 1000000)) MB, and unpacked four times as much"
    agreed "Fetch it into .toolchain/?" ||
        fail "Swift 6.3 or newer is needed: https://www.swift.org/install/linux/"
    free=$(df --output=avail -B 1 "$root" | tail -n 1)
    [ "$free" -gt $((size * 5)) ] ||
        fail "Swift needs $((size * 5 / 1000000)) MB beside this folder, and $((free / 1000000)) MB are free"
    require_packages "${toolchain_packages[@]}"

    # In a shell of its own, whose end takes along what is not whole.
    (
        mkdir -p "$toolchain_folder" && scratch=$(mktemp -d "$toolchain_folder/fetching.XXXXXX") ||
            fail "nothing can be written to $toolchain_folder"
        trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$scratch"; rmdir "$toolchain_folder" 2>/dev/null || true' EXIT
        trap 'exit 130' INT
        trap 'exit 143' TERM
        download "$key" "$scratch/key"
        download "$archive.sig" "$scratch/signature"
        download "$archive" "$scratch/archive" "$size"
        verify_signature "$scratch" || fail "$archive is not signed by Swift's key $toolchain_key: nothing was installed"
        mkdir "$scratch/unpacked" || exit
        said=$(tar -xzf "$scratch/archive" -C "$scratch/unpacked" --strip-components 1 --no-same-owner 2>&1) ||
            fail "$archive cannot be unpacked: ${said%%$'\n'*}"
        new_enough "$scratch/unpacked/usr/bin/swift" ||
            fail "$archive does not run here: $("$scratch/unpacked/usr/bin/swift" --version 2>&1 | head -n 1)"
        mv -T "$scratch/unpacked" "$toolchain_folder/$toolchain-$1" || exit
    ) || exit
    say "Swift is in .toolchain/; remove the folder to be rid of it"
}

# A file of the site. Where its size is given and somebody watches, how far it is.
download() {
    local pid
    curl -fsSL --retry 3 --connect-timeout 30 --speed-limit 1000 --speed-time 60 -o "$2" "$1" 2>"$2.said" &
    pid=$!
    while [ -n "${3:-}" ] && [ -t 2 ] && kill -0 "$pid" 2>/dev/null; do
        printf '\r   %d of %d MB ' $(($(stat -c %s "$2" 2>/dev/null || echo 0) / 1000000)) $(($3 / 1000000)) >&2
        sleep 0.5
    done
    [ -z "${3:-}" ] || [ ! -t 2 ] || printf '\r\033[K' >&2
    wait "$pid" || fail "$1 was not downloaded: $(sed 's/^curl: //' "$2.said" | tail -n 1)"
}

# A key that has run out since has signed what it has signed; one that was revoked may have been used by others.
verify_signature() {
    local said
    mkdir -m 700 "$1/keys"
    gpg --homedir "$1/keys" --batch --quiet --import "$1/key" 2>/dev/null || return
    said=$(gpg --homedir "$1/keys" --batch --status-fd 1 --verify "$1/signature" "$1/archive" 2>/dev/null) || true
    grep -Eq '^\[GNUPG:\] (GOODSIG|EXPKEYSIG) ' <<<"$said" &&
        grep -Eq "^\[GNUPG:\] VALIDSIG .* $toolchain_key\$" <<<"$said"
}
