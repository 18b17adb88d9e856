# Suite of Tests/run.
ABOUT='worker processes, their sandbox, and images that attack them; longer: Tests/isolation/soak'
BUDGET=120
NEEDS=library
HAS_PARTS=1
PACKAGES="gcc libc6-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross"

# compile_isolation FOLDER COMPILER: the C target, as in the library, into FOLDER/isolation.a.
compile_isolation() {
    local source
    mkdir -p "$1" && rm -f "$1"/*.c.o "$1/isolation.a"
    for source in Sources/CIsolation/*.c; do
        "$2" -std=c11 -g -O1 -Wall -Wextra -Werror -fstack-protector-all -ISources/CIsolation/include -c -o "$1/$(basename "$source").o" "$source" >&2 ||
            return 1
    done
    "${2%gcc}ar" rcs "$1/isolation.a" "$1"/*.c.o
}

# link_isolation PROGRAM SOURCE…: compiles a program with the C target and without the library.
link_isolation() {
    local program=$1
    shift
    gcc -std=c11 -g -O1 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -Iinclude -ITests/support -ITests/isolation \
        -ISources/CIsolation/include -o "$program" "$@" build/isolation/isolation.a -pthread >&2 ||
        { echo "not ok $(basename "$program") compiles: see the log"; return 1; }
}

# check_libcurl: a worker takes its own program for libcurl, which has all functions of the installed one.
check_libcurl() {
    local program=build/install/libexec/sdimage/sdimage-decoder library mapped missing
    library=$(LD_TRACE_LOADED_OBJECTS=1 build/install/bin/sdimage | awk '$1 == "libcurl.so.4" { print $3 }')
    mapped=$(LD_TRACE_LOADED_OBJECTS=1 $program)
    case $mapped in
    *libsdimage*) case $mapped in
        *libcurl*" => "/*) echo "not ok libcurl: a worker maps it: $mapped" ;;
        *) echo "ok libcurl: a worker does not map it" ;;
        esac ;;
    *) echo "not ok libcurl: the libraries of a worker are unknown: $mapped" ;;
    esac
    missing=$(comm -23 <(nm -D --defined-only "$library" | sed -n 's/.* \(curl_[a-z_]*\).*/\1/p' | sort -u) \
        <(nm -D --defined-only $program | sed -n 's/.* \(curl_[a-z_]*\).*/\1/p' | sort -u))
    [ -n "$library" ] && [ -z "$missing" ] && echo "ok libcurl: a worker has its functions" ||
        echo "not ok libcurl: functions of $library are missing: $missing"
}

suite() {
    local here=Tests/isolation folder=build/isolation test
    compile_isolation $folder gcc || { echo "not ok the C target compiles: see the log"; return 1; }
    if selected aarch64 && [ "$(uname -m)" = x86_64 ]; then
        compile_isolation $folder/aarch64 aarch64-linux-gnu-gcc && echo "ok aarch64: the C target compiles" ||
            echo "not ok aarch64: the C target compiles: see the log"
    fi
    link_isolation $folder/worker $here/worker.c $here/attacks.c || return 1
    for test in sandbox process messages; do
        ! selected $test || { link_isolation $folder/$test $here/$test.c $here/workers.c $here/attacks.c Tests/support/check.c &&
            $folder/$test; }
    done
    compile $folder/attack.so $here/attack_coder.c $here/attacks.c -shared -fPIC -fvisibility=hidden || return 1
    link_isolation $folder/liar $here/liar.c || return 1
    for test in none short device pipe open hole; do ln -sf liar $folder/liar-$test; done
    for test in decodes lies limits; do
        ! selected $test || compile $folder/$test $here/$test.c $here/attack_decodes.c $here/attack_coder.c $here/attacks.c $HARNESS ||
            return 1
    done
    ! selected decodes || $folder/decodes
    ! selected limits || $folder/limits
    ! selected libcurl || check_libcurl
    ! selected lies || SDIMAGE_DECODER_PATH=$SDIMAGE_ROOT/$folder/liar $folder/lies
    ! selected sessions || { compile $folder/sessions $here/sessions.c $here/processes.c $here/attack_decodes.c $here/attack_coder.c \
        $here/attacks.c $HARNESS &&
        $folder/sessions Tests/fixtures/webp/animated.webp Tests/fixtures/jpeg/large_progressive.jpg; }
    # By command: the same for the corpus, $folder/compare FOLDER, and the costs, $here/costs.c.
    # An image with bytes behind its end is complete before its last bytes.
    ! selected compare || { cat Tests/fixtures/webp/lossy.webp Tests/fixtures/webp/lossy.webp >$folder/two.webp
        compile $folder/compare $here/compare.c && $folder/compare Tests/fixtures $folder/two.webp; }
}
