# Suite of Tests/run.
ABOUT='remote caches on memcached and Redis: killed, paused, flooded, lying; fleets of processes and their leases'
BUDGET=60
NEEDS=library
HAS_PARTS=1
PACKAGES="libhiredis-dev libmemcached-dev memcached redis-server"

# Remote cache entries are untrusted: the parser of their envelope is built with the sanitizers.
suite() {
    mkdir -p build/remote
    if ! selected envelope; then
        :
    elif gcc -std=c11 -g -O1 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -fsanitize=address,undefined \
        -fno-sanitize-recover=all -ISources/CoderSupport -ISources/Plugins/remote -ISources/SDImagePixels/include -o build/remote/envelope Tests/remote/envelope.c \
        Sources/Plugins/remote/envelope.c Sources/SDImagePixels/{cpu,crc}.c -pthread >&2; then
        build/remote/envelope || echo "not ok the envelope: see the log"
    else
        echo "not ok the envelope compiles: see the log"
    fi
    ! selected probes || { compile build/remote/probes -ISources/CoderSupport -ISources/Plugins/remote -ISources/SDImagePixels/include \
        Tests/remote/probes.c Sources/Plugins/remote/{breaker,job,names,threads}.c Sources/CoderSupport/hex.c \
        Sources/SDImagePixels/{cpu,sha256}.c Tests/support/check.c && build/remote/probes; }
    ! selected workers || { compile build/remote/workers -ISources/CoderSupport -ISources/Plugins/remote -ISources/SDImagePixels/include \
        Tests/remote/workers.c Sources/Plugins/remote/{breaker,deadlines,envelope,job,leases,names,pending,settings,threads,tier_state,timer,worker}.c \
        Sources/CoderSupport/{clock,fail,fnv,hex}.c Sources/SDImagePixels/{cpu,crc,sha256}.c Tests/support/check.c \
        -Wl,--wrap=calloc -Wl,--wrap=pthread_create && build/remote/workers; }
    "$SDIMAGE_PYTHON" Tests/remote/remote.py "$PREFIX"
}
