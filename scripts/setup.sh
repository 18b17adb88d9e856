# Set-up shared by Tests/run, examples/demo and packaging/. To be sourced by bash:
#
#   source "$(dirname "$0")/../scripts/setup.sh"   # defines SDIMAGE_ROOT; changes nothing yet
#   plain_output                                   # optional (--ci): no colors, no progress line
#   need_packages $SDIMAGE_BUILD_PACKAGES          # apt; only missing packages, listed first
#   need_swift                                     # puts swift 6.3 on PATH, downloading it if necessary
#   build_library                                  # exports SDIMAGE_LIBRARY=…/build/install/lib/libsdimage.so.1
#   build_engine                                   # the part of it that needs none of the optional packages
#
# Every function announces its work, is idempotent, and on failure prints one line on stderr and returns non-zero.
# `quietly LOG COMMAND…` runs a long command with its output in LOG. It shows a progress line on a terminal, nothing
# elsewhere, and the end of LOG on failure.

SDIMAGE_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Build tools, and the libraries that the library is built from.
SDIMAGE_ENGINE_PACKAGES="libturbojpeg0-dev libjpeg62-turbo-dev libpng-dev libdeflate-dev libwebp-dev liblcms2-dev libcurl4-openssl-dev
    libsqlite3-dev zlib1g-dev gcc g++ libc6-dev binutils pkg-config python3 ca-certificates"
# The same, and those of the modules for HEIC and AVIF, and of the CMake build.
SDIMAGE_BUILD_PACKAGES="$SDIMAGE_ENGINE_PACKAGES libheif-dev libde265-dev libavif-dev make cmake"
# Libraries of the plug-ins; a plug-in whose package is missing is not built.
SDIMAGE_PLUGIN_PACKAGES="libavformat-dev libavcodec-dev libswscale-dev libhiredis-dev libjxl-dev libmemcached-dev libpoppler-glib-dev
    librsvg2-dev libcairo2-dev libxml2-dev libtiff-dev"
# Libraries and tools of the integration with GTK 4, which is not built without the first.
SDIMAGE_GTK_PACKAGES="libgtk-4-dev libgirepository1.0-dev gobject-introspection valac"
# Requirements of packaging/libcurl, packaging/wheel, packaging/abi and packaging/deb.
SDIMAGE_CURL_PACKAGES="apt autoconf automake binutils dpkg-dev gcc libtool make patch pkg-config libc6-dev libcurl4-openssl-dev
    libssl-dev libnghttp2-dev libbrotli-dev libzstd-dev zlib1g-dev libidn2-dev libpsl-dev"
SDIMAGE_WHEEL_PACKAGES="python3-pip python3-venv python3-setuptools python3-wheel binutils $SDIMAGE_CURL_PACKAGES"
SDIMAGE_ABI_PACKAGES="abigail-tools gcc python3"
SDIMAGE_DEB_PACKAGES="debhelper dh-python dpkg-dev python3-setuptools python3-wheel qt6-base-dev qt6-declarative-dev"
# Requirements of tests: of the windows of the gallery, and of the Python package. Tests/run lists those of each suite.
SDIMAGE_QT_PACKAGES="qt6-base-dev qt6-declarative-dev qml6-module-qtquick qml6-module-qtquick-window qml6-module-qtqml-workerscript g++"
SDIMAGE_WINDOW_PACKAGES="libsdl2-dev libgtk-4-dev xvfb $SDIMAGE_QT_PACKAGES"
SDIMAGE_PYTHON_PACKAGES="python3-venv python3-pip python3-numpy python3-pil python3-trio python3-anyio openssl"
# Requirements of a Swift toolchain.
SDIMAGE_SWIFT_PACKAGES="curl gnupg git libstdc++-12-dev libxml2 libncurses6 libedit2 libz3-4 libpython3.11 tzdata unzip"

# Debian's Python, for which apt installs the packages above; PATH may have another one first.
SDIMAGE_PYTHON=${SDIMAGE_PYTHON:-$([ -x /usr/bin/python3 ] && echo /usr/bin/python3 || echo python3)}

SDIMAGE_SWIFT_VERSION=6.3.1
SDIMAGE_SWIFT_KEYS=https://swift.org/keys/all-keys.asc

[ -t 1 ] && SDIMAGE_PLAIN=${SDIMAGE_PLAIN:-} || SDIMAGE_PLAIN=1

plain_output() { SDIMAGE_PLAIN=1; }

say() {
    if [ -n "$SDIMAGE_PLAIN" ]; then printf '== %s\n' "$*"; else printf '\033[1m== %s\033[0m\n' "$*"; fi
}

complain() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }

# quietly LOG COMMAND…: returns the command's own status.
quietly() {
    local log=$1 pid status line started=$SECONDS
    shift
    mkdir -p "$(dirname "$log")"
    if [ -n "$SDIMAGE_PLAIN" ]; then
        "$@" >"$log" 2>&1 </dev/null
        status=$?
    else
        "$@" >"$log" 2>&1 </dev/null &
        pid=$!
        while kill -0 "$pid" 2>/dev/null; do
            line=$(tail -c 400 "$log" 2>/dev/null | tr '\r' '\n' | grep . | tail -n 1 | cut -c1-90)
            printf '\r\033[K   %4d s  %s' $((SECONDS - started)) "$line"
            sleep 0.5
        done
        printf '\r\033[K'
        wait "$pid"
        status=$?
    fi
    [ $status -eq 0 ] || { complain "'$1' failed; the end of $log:"; tail -n 40 "$log" >&2; }
    return $status
}

missing_packages() {
    local installed package
    installed=" $(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | sed -n 's/ installed$//p' | tr '\n' ' ')"
    for package in "$@"; do [[ $installed == *" $package "* ]] || printf '%s\n' "$package"; done
}

need_packages() {
    local missing root=()
    missing=$(missing_packages "$@" | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    say "Installing with apt (about a minute): $missing"
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || { complain "run as root once, or: apt-get install $missing"; return 1; }
        root=(sudo)
    fi
    # One checkout after another: apt-get update fails while another one runs.
    quietly "$SDIMAGE_ROOT/build/logs/apt.log" "${root[@]}" env DEBIAN_FRONTEND=noninteractive flock /var/lib/apt sh -c '
        apt-get update && apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "$@"' sh $missing ||
        { complain "apt could not install: $missing"; return 1; }
}

# swift_is_usable SWIFT: succeeds if it runs and is 6.3 or later.
swift_is_usable() {
    local version
    version=$("$1" --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | head -n 1)
    [ -n "$version" ] || return 1
    set -- $version
    [ "$1" -gt 6 ] || { [ "$1" -eq 6 ] && [ "$2" -ge 3 ]; }
}

swift_default_url() {
    local platform=debian12
    [ "$(uname -m)" = aarch64 ] && platform=debian12-aarch64
    printf 'https://download.swift.org/swift-%s-release/%s/swift-%s-RELEASE/swift-%s-RELEASE-%s.tar.gz\n' \
        $SDIMAGE_SWIFT_VERSION $platform $SDIMAGE_SWIFT_VERSION $SDIMAGE_SWIFT_VERSION $platform
}

# verify_swift ARCHIVE URL: verifies by checksum if SDIMAGE_SWIFT_SHA256 is set, by signature otherwise. A URL that the user chose
# may lack a signature; then only the version that the toolchain reports is checked.
verify_swift() {
    local archive=$1 url=$2 keys
    if [ -n "${SDIMAGE_SWIFT_SHA256:-}" ]; then
        [ "$(sha256sum <"$archive" | cut -d ' ' -f 1)" = "$SDIMAGE_SWIFT_SHA256" ] ||
            { complain "the toolchain does not have the SHA-256 of SDIMAGE_SWIFT_SHA256"; return 1; }
        echo "   SHA-256 verified"
        return 0
    fi
    keys=$(mktemp -d)
    if curl -fsL -o "$archive.sig" "$url.sig" &&
        curl -fsL "$SDIMAGE_SWIFT_KEYS" | gpg --homedir "$keys" -q --import - 2>/dev/null; then
        if gpg --homedir "$keys" -q --verify "$archive.sig" "$archive" 2>"$archive.gpg"; then
            echo "   signature verified: $(sed -n 's/.*Good signature from //p' "$archive.gpg" | head -n 1)"
            rm -rf "$keys"
            return 0
        fi
        rm -rf "$keys"
        complain "the signature of the toolchain is wrong"
        return 1
    fi
    rm -rf "$keys"
    [ -n "${SDIMAGE_SWIFT_URL:-}" ] || { complain "the signature of the toolchain cannot be checked"; return 1; }
    echo "   no signature at that address and no SDIMAGE_SWIFT_SHA256: only the version is checked"
}

need_swift() {
    local url archive progress folder="$SDIMAGE_ROOT/.toolchain"
    swift_is_usable swift && return 0
    if command -v swift >/dev/null; then
        # The toolchain may lack only the libraries that it was linked with.
        need_packages $SDIMAGE_SWIFT_PACKAGES || return 1
        swift_is_usable swift && return 0
    fi
    if ! swift_is_usable "$folder/usr/bin/swift"; then
        url=${SDIMAGE_SWIFT_URL:-$(swift_default_url)}
        archive=$folder/swift.tar.gz
        need_packages $SDIMAGE_SWIFT_PACKAGES || return 1
        say "Fetching Swift $SDIMAGE_SWIFT_VERSION (about 1 GB, some minutes) into .toolchain from $url"
        mkdir -p "$folder"
        if [ -n "$SDIMAGE_PLAIN" ]; then progress=-s; else progress=-#; fi
        curl -fL $progress --retry 2 -o "$archive" "$url" || {
            complain "Swift 6.3 is missing and cannot be fetched: put swift on PATH, or point SDIMAGE_SWIFT_URL to it"
            return 1
        }
        verify_swift "$archive" "$url" || { rm -f "$archive"; return 1; }
        quietly "$SDIMAGE_ROOT/build/logs/toolchain.log" tar -xzf "$archive" -C "$folder" --strip-components=1 || return 1
        rm -f "$archive" "$archive.sig" "$archive.gpg"
        swift_is_usable "$folder/usr/bin/swift" || { complain "the fetched toolchain is not Swift 6.3"; return 1; }
    fi
    export PATH="$folder/usr/bin:$PATH"
    echo "   using $(swift --version 2>/dev/null | grep -o 'Swift version [0-9.]*' | head -n 1) in .toolchain"
}

# build_engine: builds libsdimage.so alone. Modules, plug-ins and integrations need other packages.
build_engine() {
    (cd "$SDIMAGE_ROOT" && quietly build/logs/engine.log sh -c '
        cmake -S . -B build/cmake -DCMAKE_INSTALL_LIBDIR=lib && cmake --build build/cmake --target sdimage_build')
}

# build_library: builds what has changed, and installs it into build/install, where nothing of an older installation is left.
# Root may have installed the build, too: then CMake's list of installed files is not ours to overwrite, but to delete.
build_library() {
    local prefix=$SDIMAGE_ROOT/build/install
    say "Building the library into build/install (two to six minutes the first time, seconds if nothing has changed)"
    (cd "$SDIMAGE_ROOT" && quietly build/logs/library.log sh -c '
        cmake -S . -B build/cmake -DCMAKE_INSTALL_LIBDIR=lib && cmake --build build/cmake -j 2 &&
        rm -rf "$1" build/cmake/install_manifest.txt && cmake --install build/cmake --prefix "$1"' sh "$prefix") || return 1
    export SDIMAGE_LIBRARY="$prefix/lib/libsdimage.so.1"
}
