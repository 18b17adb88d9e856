# Suite of Tests/run.
ABOUT='the wheel, the tarball and the Debian packages: built, installed on a minimal system, and used there'
BUDGET=260
NEEDS='library swift'
HAS_PARTS=1
PACKAGES="$SDIMAGE_WHEEL_PACKAGES $SDIMAGE_DEB_PACKAGES $SDIMAGE_PLUGIN_PACKAGES $SDIMAGE_GTK_PACKAGES python3-gi gir1.2-gtk-4.0 lintian xz-utils"

# package KIND PACKAGES PATTERN: builds a package by its command; sets `made` to the resulting files.
package() {
    local missing status
    missing=$(missing_packages $2 | tr '\n' ' ')
    [ -z "$missing" ] || { echo "skip packaging/$1: apt could not install $missing"; return 1; }
    SDIMAGE_PREFIX=$PREFIX packaging/"$1" >&2
    status=$?
    [ $status -ne 69 ] || { echo "skip packaging/$1: a source cannot be fetched, see build/logs/packages.log"; return 1; }
    [ $status -eq 0 ] || { echo "not ok packaging/$1: see build/logs/packages.log"; return 1; }
    echo "ok packaging/$1"
    made=$(echo build/packages/$3)
}

suite() {
    local made version before
    version=$(sed -n 's/^Version: //p' "$PREFIX/lib/pkgconfig/sdimage.pc")
    if selected wheel && package wheel "$SDIMAGE_WHEEL_PACKAGES" 'sdimage-*.whl'; then
        before=$(sha256sum "$made")
        rm -f "$made"
        (umask 0 && package wheel "$SDIMAGE_WHEEL_PACKAGES" 'sdimage-*.whl' >/dev/null)
        [ "$before" = "$(sha256sum "$made")" ] && echo "ok a repeated build gives the same wheel" || echo "not ok a repeated build gives the same wheel: it differs"
        script Tests/packages/wheel.py "$made" "$PREFIX"
    fi
    if selected tarball && package tarball xz-utils 'sdimage-*-linux-*.tar.xz'; then
        before=$(sha256sum "$made")
        rm -f "$made"
        (umask 0 && package tarball xz-utils 'sdimage-*-linux-*.tar.xz' >/dev/null)
        [ "$before" = "$(sha256sum "$made")" ] && echo "ok a repeated build gives the same tarball" || echo "not ok a repeated build gives the same tarball: it differs"
        script Tests/packages/tarball.py "$made" "$version"
    fi
    if selected deb && package deb "$SDIMAGE_DEB_PACKAGES $SDIMAGE_PLUGIN_PACKAGES $SDIMAGE_GTK_PACKAGES" deb; then
        script Tests/packages/debian.py "$made" "$version"
    fi
}
