/* resize_x86.c: the integer filter with instructions of x86-64. All variants compute the same sums. */
#include "resize_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "kernel.h"

#define VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#define AVX2 __attribute__((AVX2_TARGET))

enum { UNITS = SDPX_QUAD_UNITS };

/* Prefetches output position `x`'s share of the data that is read next. */
INLINE void fetch_ahead(const sdpx_ahead *ahead, size_t x, size_t count) {
    size_t end = sdpx_lines_before(ahead, x + 1, count);
    for (size_t line = sdpx_lines_before(ahead, x, count); line < end; line++)
        for (size_t row = 0; row < ahead->count; row++)
            _mm_prefetch(ahead->first + (ptrdiff_t)row * ahead->stride + 64 * line, _MM_HINT_T1);
}

/* --- AVX-512 VNNI: 16 pixels times their 16 weights at a time, in two parts of 8 bits. Weights are loaded once for all
   units. */

VNNI INLINE __m512i lanes_of(__m512i a, __m512i b, __m512i c, __m512i d) {
    /* Adds the four quarters of each vector; the sums are in the order of the arguments. A quarter has four
       channels. */
    __m512i ab = _mm512_add_epi32(_mm512_shuffle_i32x4(a, b, 0x44), _mm512_shuffle_i32x4(a, b, 0xee));
    __m512i cd = _mm512_add_epi32(_mm512_shuffle_i32x4(c, d, 0x44), _mm512_shuffle_i32x4(c, d, 0xee));
    return _mm512_add_epi32(_mm512_shuffle_i32x4(ab, cd, 0x88), _mm512_shuffle_i32x4(ab, cd, 0xdd));
}

/* Stores the four results of four units, multiplied by `scale`. */
VNNI INLINE void store_lanes(float *const *to, size_t at, __m512i sums, __m512 scale) {
    __m512 v = _mm512_mul_ps(_mm512_cvtepi32_ps(sums), scale);
    _mm_storeu_ps(to[0] + at, _mm512_castps512_ps128(v));
    _mm_storeu_ps(to[1] + at, _mm512_extractf32x4_ps(v, 1));
    _mm_storeu_ps(to[2] + at, _mm512_extractf32x4_ps(v, 2));
    _mm_storeu_ps(to[3] + at, _mm512_extractf32x4_ps(v, 3));
}

VNNI void sdpx_filter_quads_vnni(float *const *to, const uint8_t *from, size_t stride, const sdpx_quad_axis *axis,
                                 const sdpx_ahead *ahead) {
    const __m512i high_of = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    const __m512i low_of = _mm512_add_epi32(high_of, _mm512_set1_epi32(4));
    const __m512 scale = _mm512_set1_ps(1 / (float)(1 << axis->bits));
    const __m256i *weights = (const __m256i *)(const void *)axis->weights;
    size_t vectors = axis->vectors;
    for (size_t x = 0; x < axis->count; x++) {
        fetch_ahead(ahead, x, axis->count);
        const uint8_t *p = from + 16 * (size_t)axis->starts[x];
        __m512i high[UNITS], low[UNITS];
        for (int u = 0; u < UNITS; u++)
            high[u] = low[u] = _mm512_setzero_si512();
        /* The instruction multiplies unsigned by signed bytes: 128 * high + low is the weight. */
        for (size_t v = 0; v < vectors; v++, p += 64, weights++) {
            __m512i both = _mm512_castsi256_si512(_mm256_load_si256(weights));
            __m512i h = _mm512_permutexvar_epi32(high_of, both), l = _mm512_permutexvar_epi32(low_of, both);
            for (int u = 0; u < UNITS; u++) {
                __m512i d = _mm512_loadu_si512(p + (size_t)u * stride);
                high[u] = _mm512_dpbusd_epi32(high[u], d, h);
                low[u] = _mm512_dpbusd_epi32(low[u], d, l);
            }
        }
        for (int u = 0; u < UNITS; u++)
            low[u] = _mm512_add_epi32(low[u], _mm512_slli_epi32(high[u], 7));
        store_lanes(to, 4 * x, lanes_of(low[0], low[1], low[2], low[3]), scale);
        store_lanes(to + 4, 4 * x, lanes_of(low[4], low[5], low[6], low[7]), scale);
    }
}

/* --- AVX2: four pixels times their weights at a time, in 16 bits. */

AVX2 void sdpx_filter_quads_avx2(float *const *to, const uint8_t *from, size_t stride, const sdpx_quad_axis *axis,
                                 const sdpx_ahead *ahead) {
    const __m128 scale = _mm_set1_ps(1 / (float)(1 << axis->bits));
    for (size_t x = 0; x < axis->count; x++) {
        const int16_t *first = axis->weights + x * axis->vectors * 16;
        __m256i sums[UNITS];
        for (int u = 0; u < UNITS; u++)
            sums[u] = _mm256_setzero_si256();
        const uint8_t *p = from + 16 * (size_t)axis->starts[x];
        fetch_ahead(ahead, x, axis->count);
        for (size_t g = 0; g < 4 * axis->vectors; g++, p += 16) {
            /* Four weights of 16 bits, repeated for each channel. */
            __m256i w = _mm256_set1_epi64x(*(const long long *)(const void *)(first + 4 * g));
            for (int u = 0; u < UNITS; u++) {
                __m256i d =
                    _mm256_cvtepu8_epi16(_mm_load_si128((const __m128i *)(const void *)(p + (size_t)u * stride)));
                sums[u] = _mm256_add_epi32(sums[u], _mm256_madd_epi16(d, w));
            }
        }
        for (int u = 0; u < UNITS; u++) {
            /* Each channel has two partial sums, which are adjacent. */
            __m128i low = _mm256_castsi256_si128(sums[u]), high = _mm256_extracti128_si256(sums[u], 1);
            _mm_storeu_ps(to[u] + 4 * x, _mm_mul_ps(_mm_cvtepi32_ps(_mm_hadd_epi32(low, high)), scale));
        }
    }
}

#endif
