#!/usr/bin/env bash
# The package for Java: built with javac and gcc, tested by a class with a main method.
set -uo pipefail
source "$(dirname "$0")/common.sh"
need java javac gcc make pkg-config
JAVA_HOME=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
[ -e "$JAVA_HOME/include/jni.h" ] || { echo "skip the binding for java: there is no $JAVA_HOME/include/jni.h"; exit 0; }
export JAVA_HOME FOLDER
make -s -C "$ROOT/bindings/java" OUT="$FOLDER/built" >&2 || { echo "not ok java: the package builds: see the log"; exit 1; }
"$JAVA_HOME/bin/javac" -Xlint:all -Werror --release 17 -cp "$FOLDER/built/sdimage.jar" -d "$FOLDER/tests" "$ROOT"/bindings/java/test/*.java >&2 ||
    { echo "not ok java: the tests compile: see the log"; exit 1; }
echo "ok java: the package and its tests build without a warning"
# Preloaded in one test: simulates that there is no memory for a chain of loaders.
export SDIMAGE_JAVA_NO_CHAIN=$FOLDER/nochain.so
gcc -shared -fPIC -I"$SDIMAGE_PREFIX/include" -xc -o "$SDIMAGE_JAVA_NO_CHAIN" - <<'END' || exit 1
#include <sdimage.h>
sdimage_status sdimage_loader_new_chain(sdimage_loader **chain, sdimage_error **error) {
    (void)chain, (void)error;
    return SDIMAGE_STATUS_NO_MEMORY;
}
END
serve
# -Xcheck:jni: the virtual machine checks every call of the shim and reports errors.
report tests "$JAVA_HOME/bin/java" -Xcheck:jni -Dorg.sdimage.library="$FOLDER/built/libsdimage_jni.so" \
    -cp "$FOLDER/built/sdimage.jar:$FOLDER/tests" Main
if grep -E '^(WARNING|FATAL)' "$FOLDER/tests.txt" "$FOLDER/tests.txt.err" >&2; then
    echo "not ok java: the shim keeps the rules of JNI: see the log"
else
    echo "ok java: the shim keeps the rules of JNI"
fi

# The example of the README, as a separate program.
{
    echo 'import java.io.File; import java.nio.file.Path; import javax.imageio.ImageIO; import org.sdimage.*;
class Program { public static void main(String[] arguments) throws Exception {
String url = System.getenv("ORIGIN") + "badge.png"; Path folder = Path.of(arguments[0], "pictures"); File file = new File(arguments[0], "out.png");'
    "$ROOT/Tests/bindings/snippet.py" "$ROOT/bindings/java/README.md" java
    echo 'System.out.println(ImageIO.read(file).getWidth()); } }'
} >"$FOLDER/Program.java"
shown=$("$JAVA_HOME/bin/java" -Dorg.sdimage.library="$FOLDER/built/libsdimage_jni.so" -cp "$FOLDER/built/sdimage.jar" "$FOLDER/Program.java" "$FOLDER" 2>&1)
if [ "$shown" = 256 ]; then echo "ok java: the example of the README"; else echo "not ok java: the example of the README: $(head -n 1 <<<"$shown")"; fi
