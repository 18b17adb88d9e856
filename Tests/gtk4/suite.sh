# Suite of Tests/run.
ABOUT='the library for GTK 4: widgets, lists and their ends in windows of Xvfb, introspection, samples, screenshots'
BUDGET=150
NEEDS=library
HAS_PARTS=1
PACKAGES="$SDIMAGE_GTK_PACKAGES libgtk-4-dev xvfb xauth python3-gi gir1.2-gtk-4.0 gjs python3-numpy python3-pil"

# in_window SCALE PROGRAM…: runs a program in a display of its own, where a message of GTK at level CRITICAL ends it.
in_window() {
    local scale=$1
    shift
    GDK_SCALE=$scale GSK_RENDERER=cairo GDK_BACKEND=x11 G_DEBUG=fatal-criticals GTK_A11Y=test GTK_THEME=${GTK_THEME:-Adwaita} \
        xvfb-run -a -s '-screen 0 2000x1600x24 -nolisten tcp' "$@"
}

suite() {
    local folder=build/gtk4 one flags libraries glue status=0
    command -v xvfb-run >/dev/null || { echo "skip gtk4: there is no Xvfb"; return 0; }
    [ -e "$PREFIX/lib/pkgconfig/sdimage-gtk4.pc" ] || { echo "not ok gtk4: libsdimage-gtk4 is not installed"; return 1; }
    mkdir -p $folder
    # Ignores the warnings of GTK's own headers.
    flags="-ITests/gtk4 $(pkg-config --cflags gtk4 | sed 's/-I/-isystem /g') -Wno-pedantic" libraries="$(pkg-config --libs gtk4) -lm"
    for one in widgets lifetimes grid; do
        selected $one || continue
        compile $folder/$one Tests/gtk4/$one.c Tests/gtk4/display.c $HARNESS $flags -lsdimage-gtk4 $libraries || { status=1; continue; }
        in_window 1 $folder/$one || status=1
    done
    if selected widgets; then
        in_window 2 $folder/widgets | sed 's/^\(not \)\?ok /&at scale 2: /'
    fi
    if selected lifetimes; then
        glue="-fsanitize=address,undefined -fno-omit-frame-pointer -DG_LOG_DOMAIN=\"sdimage\" integrations/gtk4/*.c"
        compile $folder/lifetimes-asan Tests/gtk4/lifetimes.c Tests/gtk4/display.c $HARNESS -Iintegrations/gtk4 $flags $glue $libraries &&
            ASAN_OPTIONS=detect_leaks=0 in_window 1 $folder/lifetimes-asan | sed 's/^\(not \)\?ok /&with AddressSanitizer: /'
    fi
    if selected screens && compile $folder/screens Tests/gtk4/screens.c Tests/gtk4/display.c $HARNESS $flags -lsdimage-gtk4 $libraries; then
        GTK_THEME=Adwaita in_window 1 $folder/screens | sed 's/^\(not \)\?ok /&light: /'
        GTK_THEME=Adwaita:dark in_window 1 $folder/screens | sed 's/^\(not \)\?ok /&dark: /'
        GTK_THEME=Adwaita in_window 2 $folder/screens | sed 's/^\(not \)\?ok /&at scale 2: /'
    fi
    if selected samples; then
        compile $folder/gallery-gtk examples/gtk/gallery.c $flags -lsdimage-gtk4 $libraries
        valac --vapidir "$PREFIX/share/vala/vapi" --pkg gtk4 --pkg sdimage-gtk4 -X -w -X -I"$PREFIX/include" -X -L"$PREFIX/lib" \
            -X -lsdimage-gtk4 -X -lsdimage -o $folder/picture-vala examples/gtk/picture.vala >&2 ||
            echo "not ok the sample in Vala is compiled: see the log"
        script Tests/gtk4/samples.py $folder "$PREFIX" || status=1
    fi
    return $status
}
