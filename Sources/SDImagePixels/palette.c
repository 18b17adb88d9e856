/* palette.c: palette indices to pixels. GIF and frames that are stored packed use it. AVX2 gathers eight entries at a
   time; other CPUs load indices eight at a time.

   Indices have 8 bits and palettes 256 entries, so that no index is beyond the palette. */
#include "sdpx_palette.h"

#include "kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((AVX2_TARGET))

/* Gathers the entries of eight indices. */
AVX2 static inline __attribute__((always_inline)) __m256i entries_of(__m256i indices, const uint32_t *palette) {
    return _mm256_i32gather_epi32((const int *)(const void *)palette, indices, 4);
}

AVX2 static inline __attribute__((always_inline)) __m256i indices_at(const uint8_t *from) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
}

/* Converts groups of eight pixels; returns the number of pixels converted. */
AVX2 static size_t row_avx2(uint32_t *to, const uint8_t *from, size_t pixels, const uint32_t *palette) {
    size_t i = 0;
    for (; i + 8 <= pixels; i += 8)
        _mm256_storeu_si256((__m256i *)(void *)(to + i), entries_of(indices_at(from + i), palette));
    return i;
}

/* Without branches, because transparent pixels are unpredictable: both values are computed, and one is selected. */
AVX2 static size_t row_over_avx2(uint32_t *to, const uint32_t *below, const uint8_t *from, size_t pixels,
                                 const uint32_t *palette, uint8_t clear) {
    const __m256i clears = _mm256_set1_epi32(clear);
    size_t i = 0;
    for (; i + 8 <= pixels; i += 8) {
        __m256i indices = indices_at(from + i), under = _mm256_loadu_si256((const __m256i *)(const void *)(below + i));
        __m256i is_clear = _mm256_cmpeq_epi32(indices, clears);
        /* In many frames most pixels are unchanged, so the gather is skipped. */
        if (_mm256_movemask_epi8(is_clear) != -1)
            under = _mm256_blendv_epi8(entries_of(indices, palette), under, is_clear);
        _mm256_storeu_si256((__m256i *)(void *)(to + i), under);
    }
    return i;
}

#define HAS_AVX2 sdpx_cpu_has(SDPX_HAS_AVX2)
#else
#define HAS_AVX2 0
#define row_avx2(to, from, pixels, palette) 0
#define row_over_avx2(to, below, from, pixels, palette, clear) 0
#endif

void sdpx_palette_row(uint32_t *to, const uint8_t *from, size_t pixels, const uint32_t *palette) {
    size_t i = HAS_AVX2 ? row_avx2(to, from, pixels, palette) : 0;
    for (; i + 8 <= pixels; i += 8) {
        uint64_t indices;
        memcpy(&indices, from + i, 8);
        for (int k = 0; k < 8; k++)
            to[i + (size_t)k] = palette[indices >> 8 * k & 255];
    }
    for (; i < pixels; i++)
        to[i] = palette[from[i]];
}

void sdpx_palette_row_over(uint32_t *to, const uint32_t *below, const uint8_t *from, size_t pixels,
                           const uint32_t *palette, uint8_t clear) {
    size_t i = HAS_AVX2 ? row_over_avx2(to, below, from, pixels, palette, clear) : 0;
    for (; i < pixels; i++)
        to[i] = from[i] == clear ? below[i] : palette[from[i]];
}

void sdpx_palette_row_rgb(uint8_t *to, const uint8_t *from, size_t pixels, const uint32_t *palette) {
    /* Writes four bytes at once: the next pixel overwrites the fourth. The last pixel is written exactly. */
    for (size_t i = 0; i + 1 < pixels; i++)
        memcpy(to + 3 * i, &palette[from[i]], 4);
    if (pixels)
        memcpy(to + 3 * (pixels - 1), &palette[from[pixels - 1]], 3);
}
