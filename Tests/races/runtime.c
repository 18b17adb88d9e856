/* races.c: annotates for ThreadSanitizer the synchronization of the Swift runtime, which is not instrumented
 * (Tests/races). Preloaded before the runtime.
 *
 * An object with a single remaining reference is modified in place, so every release of another reference must
 * happen before. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sanitizer/tsan_interface.h>

#define REAL(name)                                                                                                     \
    static __typeof__(&name) real;                                                                                     \
    if (!real)                                                                                                         \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

/* The object of a reference, without the flags in its lower bits; NULL if the upper bits mark a value that is not an
 * object. */
static void *object(void *reference) {
    return (intptr_t)reference > 0 ? (void *)((uintptr_t)reference & 0x0ffffffffffffff8) : 0;
}

static void note_release(void *reference) {
    if (object(reference))
        __tsan_release(object(reference));
}

void swift_release(void *reference) {
    REAL(swift_release);
    note_release(reference);
    real(reference);
}

void swift_release_n(void *reference, uint32_t count) {
    REAL(swift_release_n);
    note_release(reference);
    real(reference, count);
}

void swift_bridgeObjectRelease(void *reference) {
    REAL(swift_bridgeObjectRelease);
    note_release(reference);
    real(reference);
}

void swift_bridgeObjectRelease_n(void *reference, int count) {
    REAL(swift_bridgeObjectRelease_n);
    note_release(reference);
    real(reference, count);
}

#define IS_UNIQUE(name)                                                                                                \
    bool name(void *reference) {                                                                                       \
        REAL(name);                                                                                                    \
        bool is_unique = real(reference);                                                                              \
        if (is_unique && object(reference))                                                                            \
            __tsan_acquire(object(reference));                                                                         \
        return is_unique;                                                                                              \
    }
IS_UNIQUE(swift_isUniquelyReferenced_native)
IS_UNIQUE(swift_isUniquelyReferenced_nonNull_native)
IS_UNIQUE(swift_isUniquelyReferenced_nonNull_bridgeObject)

/* The runtime looks up ThreadSanitizer's functions when it starts, unless ThreadSanitizer starts first. */
__attribute__((constructor)) static void start(void) {
    void *core = dlopen("libswiftCore.so", RTLD_NOLOAD | RTLD_NOW);
    void (*find)(void) = core ? (void (*)(void))dlsym(core, "__tsan_on_initialize") : 0;
    if (find)
        find();
}
