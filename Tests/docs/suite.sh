# Suite of Tests/run.
ABOUT='the reference is complete, the code blocks of README and guides run, figures are right, links work'
BUDGET=120
NEEDS=library
HAS_PARTS=1
PACKAGES="doxygen python3-markdown python3-pygments python3-numpy python3-pil man-db groff-base libuv1-dev libglib2.0-dev"

suite() {
    if ! selected reference; then
        :
    elif ! command -v doxygen >/dev/null; then
        echo "skip the header reference and the site: doxygen is not installed"
    elif script Tests/docs/reference.py; then
        script Tests/docs/pages.py --made
    fi
    ! selected snippets || script Tests/docs/snippets.py "$PREFIX"
    ! selected figures || script Tests/docs/figures.py "$PREFIX"
    ! selected manual || script Tests/docs/manual.py "$PREFIX" "$SDIMAGE_ROOT/Tests/fixtures/pictures/lighthouse.jpg"
}
