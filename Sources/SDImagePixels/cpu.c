/* cpu.c: detection of instructions, and their limit by the environment. Runs once while the library is loaded; kernels
   then read one variable. */
#include "sdpx_cpu.h"

#include <stdlib.h>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "kernel.h"

unsigned sdpx_cpu_features;

/* Indexed by sdpx_cpu_level. */
static const char *const names[] = {"baseline", "avx2", "avx512"};

/* Returns all features of the CPU that the operating system supports. */
static unsigned detect(void) {
    unsigned features = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul"))
        features |= SDPX_HAS_CRC;
    /* The compiler's functions also check that the operating system saves the registers. */
    if (__builtin_cpu_supports("x86-64-v3"))
        features |= SDPX_HAS_AVX2;
    if (__builtin_cpu_supports("x86-64-v4"))
        features |= SDPX_HAS_AVX512;
    if (__builtin_cpu_supports("x86-64-v4") && __builtin_cpu_supports("avx512vnni"))
        features |= SDPX_HAS_VNNI;
#elif defined(__aarch64__) && defined(__linux__)
    const unsigned long crc32 = 1 << 7; /* HWCAP_CRC32 */
    if (getauxval(AT_HWCAP) & crc32)
        features |= SDPX_HAS_CRC;
#elif defined(__aarch64__) && defined(__APPLE__)
    features |= SDPX_HAS_CRC;
#endif
    return features;
}

sdpx_cpu_level sdpx_cpu_limit(sdpx_cpu_level level) {
    /* Indexed by sdpx_cpu_level: the features that each level may use. */
    static const unsigned allowed[] = {0, SDPX_HAS_CRC | SDPX_HAS_AVX2, ~0u};
    __atomic_store_n(&sdpx_cpu_features, detect() & allowed[level], __ATOMIC_RELAXED);
    return sdpx_cpu_current();
}

sdpx_cpu_level sdpx_cpu_current(void) {
    return sdpx_cpu_has(SDPX_HAS_AVX512) ? SDPX_CPU_AVX512
           : sdpx_cpu_has(SDPX_HAS_AVX2) ? SDPX_CPU_AVX2
                                         : SDPX_CPU_BASELINE;
}

const char *sdpx_cpu_name(sdpx_cpu_level level) {
    return names[level];
}

/* Runs while the library is loaded. Kernels that constructors of other files call before use the baseline. */
static __attribute__((constructor)) void limit_by_environment(void) {
    const char *wanted = getenv("SDIMAGE_CPU");
    sdpx_cpu_level level = SDPX_CPU_AVX512;
    for (int i = SDPX_CPU_BASELINE; wanted && i < SDPX_CPU_AVX512; i++)
        if (strcmp(wanted, names[i]) == 0)
            level = (sdpx_cpu_level)i;
    sdpx_cpu_limit(level);
}
