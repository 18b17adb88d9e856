# Suite of Tests/run.
ABOUT='the library for GTK 4: widgets, lists and their ends in windows of Xvfb, introspection, samples, screenshots'
BUDGET=100
NEEDS=library
HAS_PARTS=1
PACKAGES="$SDIMAGE_GTK_PACKAGES libgtk-4-dev xvfb xauth python3-gi gir1.2-gtk-4.0 gjs python3-numpy python3-pil"

# in_window SCALE PROGRAM…: runs a program in a display of its own, where a message of GTK at level CRITICAL ends it. Without
# -noreset the server resets itself between two tests, and refuses connections meanwhile.
in_window() {
    local scale=$1
    shift
    GDK_SCALE=$scale GSK_RENDERER=cairo GDK_BACKEND=x11 G_DEBUG=fatal-criticals GTK_A11Y=test GTK_THEME=${GTK_THEME:-Adwaita} \
        xvfb-run -a -s '-screen 0 2000x1600x24 -nolisten tcp -noreset' "$@"
}

# program NAME OPTION…: compiles a program of the tests.
program() {
    local name=$1
    shift
    compile $folder/$name "$@" $folder/libdisplay.so $flags -Wl,-rpath,"$PWD/$folder" $libraries
}

run_widgets() {
    program widgets Tests/gtk4/widgets.c -lsdimage-gtk4 || return
    labeled widgets in_window 1 $folder/widgets
    labeled 'at scale 2' in_window 2 $folder/widgets
}

run_grid() { program grid Tests/gtk4/grid.c -lsdimage-gtk4 && labeled grid in_window 1 $folder/grid; }

# Leaks are those of the glue: fontconfig and modules of GTK leak, and the library packs pointers, which the sanitizer does
# not see.
run_lifetimes() {
    printf 'leak:%s\n' libfontconfig libsdimage.so '<unknown module>' libgtk-4 libpango librsvg libX11 >$folder/leaks
    program lifetimes -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer '-DG_LOG_DOMAIN="sdimage"' -Iintegrations/gtk4 \
        Tests/gtk4/lifetimes.c integrations/gtk4/*.c || return
    ASAN_OPTIONS=fast_unwind_on_malloc=0 LSAN_OPTIONS=suppressions=$folder/leaks:print_suppressions=0 \
        labeled 'with AddressSanitizer' in_window 1 $folder/lifetimes
}

run_screens() {
    program screens Tests/gtk4/screens.c -lsdimage-gtk4 || return
    GTK_THEME=Adwaita labeled light in_window 1 $folder/screens
    GTK_THEME=Adwaita:dark labeled dark in_window 1 $folder/screens
    GTK_THEME=Adwaita labeled 'at scale 2' in_window 2 $folder/screens
}

run_samples() {
    local source
    compile $folder/gallery-gtk examples/gtk/gallery.c $flags -lsdimage-gtk4 $libraries
    for source in examples/gtk/picture.vala Tests/gtk4/options.vala; do
        valac --vapidir "$PREFIX/share/vala/vapi" --pkg gtk4 --pkg sdimage-gtk4 -X -w -X -I"$PREFIX/include" -X -L"$PREFIX/lib" \
            -X -lsdimage-gtk4 -X -lsdimage -d $folder -o "$(basename "$source" .vala)-vala" $source >&2 ||
            echo "not ok $source is compiled: see the log"
    done
    script Tests/gtk4/samples.py $folder "$PREFIX"
}

# The parts run side by side: their windows are idle most of the time.
suite() {
    local folder=build/gtk4 flags libraries
    command -v xvfb-run >/dev/null || { echo "skip gtk4: there is no Xvfb"; return 0; }
    [ -e "$PREFIX/lib/pkgconfig/sdimage-gtk4.pc" ] || { echo "not ok gtk4: libsdimage-gtk4 is not installed"; return 1; }
    mkdir -p $folder
    # Ignores the warnings of GTK's own headers.
    flags="-ITests/gtk4 $(pkg-config --cflags gtk4 | sed 's/-I/-isystem /g') -Wno-pedantic" libraries="$(pkg-config --libs gtk4) -lm"
    compile $folder/libdisplay.so -shared -fPIC Tests/gtk4/display.c $HARNESS $flags -lsdimage-gtk4 $libraries || return 1
    run_parts widgets grid lifetimes screens samples
}
