/* kernel.h: the variants of a kernel for the SIMD levels of the CPU, and the helpers that kernels share.

   A kernel is a loop over pixels, samples or bytes that the compiler vectorizes for each level. Parameters that select
   a format become compile-time constants: a function that is INLINE is called in a switch with each value. The compiler
   then makes a loop without branches for each. */
#ifndef SDPX_KERNEL_H
#define SDPX_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Instructions that kernels may use, beyond those that every CPU of the architecture has. */
enum {
    /* SSE 4.2 and carry-less multiplication; on aarch64 the CRC extension. */
    SDPX_HAS_CRC = 1,
    /* x86-64-v3: AVX2, FMA, BMI. */
    SDPX_HAS_AVX2 = 2,
    /* x86-64-v4: AVX-512 F, BW, CD, DQ and VL. */
    SDPX_HAS_AVX512 = 4,
    /* AVX-512 VNNI, in addition to the previous. */
    SDPX_HAS_VNNI = 8
};

/* The instructions in use: set before `main`, and 0 until then; changed only by tests. */
extern unsigned sdpx_cpu_features __attribute__((visibility("hidden")));

/* Returns the instructions in use, as flags. */
INLINE unsigned sdpx_cpu_in_use(void) {
    return __atomic_load_n(&sdpx_cpu_features, __ATOMIC_RELAXED);
}

INLINE int sdpx_cpu_has(unsigned feature) {
    return (sdpx_cpu_in_use() & feature) != 0;
}

/* Defines a kernel, and begins its body; the parameters follow their names:

       KERNEL(void, sdpx_clear, (row, n), uint8_t *row, size_t n) {
           memset(row, 0, n);
       }

   The body is compiled once per level. The function of that name jumps to the variant for the CPU: a load and one or
   two predictable branches, as cheap as the indirect jump of variants that the loader selects (target_clones). Unlike
   those it can be limited at run time, for diagnosis and for tests, and works on any platform and with any sanitizer.
   Functions that a body calls have its level only if they are INLINE. A LOCAL_KERNEL is static. */
#if defined(__x86_64__)
/* The instructions of a level by their names: with arch=x86-64-v4 Clang prefers vectors of 256 bits, which takes up to
   twice as long. */
#define AVX2_TARGET target("avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,popcnt")
#define AVX512_TARGET target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,popcnt")
#define KERNEL_VARIANT(attribute, result, name, variant, arguments, ...)                                               \
    static __attribute__((attribute)) result name##variant(__VA_ARGS__) {                                              \
        return name##_body arguments;                                                                                  \
    }
#define KERNEL_VARIANTS(result, name, arguments, ...)                                                                  \
    INLINE result name##_body(__VA_ARGS__);                                                                            \
    KERNEL_VARIANT(AVX2_TARGET, result, name, _avx2, arguments, __VA_ARGS__)                                           \
    KERNEL_VARIANT(noinline, result, name, _baseline, arguments, __VA_ARGS__)
#define KERNEL_LINKED(linkage, result, name, arguments, ...)                                                           \
    KERNEL_VARIANTS(result, name, arguments, __VA_ARGS__)                                                              \
    KERNEL_VARIANT(AVX512_TARGET, result, name, _avx512, arguments, __VA_ARGS__)                                       \
    linkage result name(__VA_ARGS__) {                                                                                 \
        unsigned has = sdpx_cpu_in_use();                                                                              \
        if (has & SDPX_HAS_AVX512)                                                                                     \
            return name##_avx512 arguments;                                                                            \
        if (has & SDPX_HAS_AVX2)                                                                                       \
            return name##_avx2 arguments;                                                                              \
        return name##_baseline arguments;                                                                              \
    }                                                                                                                  \
    INLINE result name##_body(__VA_ARGS__)
#define KERNEL(result, name, arguments, ...) KERNEL_LINKED(, result, name, arguments, __VA_ARGS__)
#define LOCAL_KERNEL(result, name, arguments, ...) KERNEL_LINKED(static, result, name, arguments, __VA_ARGS__)
#define LOCAL_KERNEL_UP_TO_AVX2(result, name, arguments, ...)                                                          \
    KERNEL_VARIANTS(result, name, arguments, __VA_ARGS__)                                                              \
    static result name(__VA_ARGS__) {                                                                                  \
        if (sdpx_cpu_has(SDPX_HAS_AVX2))                                                                               \
            return name##_avx2 arguments;                                                                              \
        return name##_baseline arguments;                                                                              \
    }                                                                                                                  \
    INLINE result name##_body(__VA_ARGS__)
#else
#define KERNEL(result, name, arguments, ...) result name(__VA_ARGS__)
#define LOCAL_KERNEL(result, name, arguments, ...) static result name(__VA_ARGS__)
#define LOCAL_KERNEL_UP_TO_AVX2(result, name, arguments, ...) static result name(__VA_ARGS__)
#endif

/* The minimum and the maximum of each lane of two vectors, and a square root that does not set errno. GCC has no
   builtins for the first two, but vectorizes these loops. */
#if defined(__clang__)
#define LANES_MIN(a, b) __builtin_elementwise_min(a, b)
#define LANES_MAX(a, b) __builtin_elementwise_max(a, b)
#define SQUARE_ROOT(v) __builtin_elementwise_sqrt(v)
#else
#define LANES_OF(v, other, expression)                                                                                 \
    ({                                                                                                                 \
        __typeof__(v) x = (v), y = (other);                                                                            \
        for (size_t lane = 0; lane < sizeof x / sizeof x[0]; lane++)                                                   \
            x[lane] = (expression);                                                                                    \
        x;                                                                                                             \
    })
#define LANES_MIN(a, b) LANES_OF(a, b, x[lane] < y[lane] ? x[lane] : y[lane])
#define LANES_MAX(a, b) LANES_OF(a, b, x[lane] > y[lane] ? x[lane] : y[lane])
#define SQUARE_ROOT(v) __builtin_sqrtf(v)
#endif

/* Loads eight bytes, the first lowest. */
INLINE uint64_t load64(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

#endif
