/* transpose.c: rows as columns, and rows mirrored, for orientations and for filters along columns. The sizes of pixels
   are compile-time constants in all loops. */
#include "sdpx_transpose.h"

#include <string.h>

#include "kernel.h"

/* Columns and rows transposed together: their source and destination cache lines fit the first-level cache. */
enum { BLOCK = 16 };

typedef uint8_t byte32 __attribute__((vector_size(32)));
typedef uint16_t short16 __attribute__((vector_size(32)));
typedef uint32_t pixel8 __attribute__((vector_size(32)));
typedef uint64_t wide4 __attribute__((vector_size(32)));

#define LOW_HALVES 0, 1, 2, 3, 8, 9, 10, 11
#define HIGH_HALVES 4, 5, 6, 7, 12, 13, 14, 15

/* Transposes eight by eight pixels of four bytes in registers: first within quarters of four by four, which are then
   exchanged. */
INLINE void transpose8(uint8_t *to, ptrdiff_t to_stride, const uint8_t *from, ptrdiff_t from_stride) {
    /* Rows; pairs of rows interleaved; quarters transposed. */
    pixel8 r[8], s[8], t[8];
    for (int y = 0; y < 8; y++)
        memcpy(&r[y], from + y * from_stride, sizeof r[y]);
    for (int y = 0; y < 8; y += 4) {
        s[y] = __builtin_shufflevector(r[y], r[y + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        s[y + 1] = __builtin_shufflevector(r[y], r[y + 1], 2, 10, 3, 11, 6, 14, 7, 15);
        s[y + 2] = __builtin_shufflevector(r[y + 2], r[y + 3], 0, 8, 1, 9, 4, 12, 5, 13);
        s[y + 3] = __builtin_shufflevector(r[y + 2], r[y + 3], 2, 10, 3, 11, 6, 14, 7, 15);
        t[y] = __builtin_shufflevector(s[y], s[y + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        t[y + 1] = __builtin_shufflevector(s[y], s[y + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        t[y + 2] = __builtin_shufflevector(s[y + 1], s[y + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        t[y + 3] = __builtin_shufflevector(s[y + 1], s[y + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int x = 0; x < 4; x++) {
        pixel8 low = __builtin_shufflevector(t[x], t[x + 4], LOW_HALVES);
        pixel8 high = __builtin_shufflevector(t[x], t[x + 4], HIGH_HALVES);
        memcpy(to + x * to_stride, &low, sizeof low);
        memcpy(to + (x + 4) * to_stride, &high, sizeof high);
    }
}

/* Transposes pixel by pixel; writes rows of the destination. */
INLINE void transpose_pixels(uint8_t *to, ptrdiff_t to_stride, const uint8_t *from, ptrdiff_t from_stride,
                             size_t columns, size_t rows, size_t size) {
    for (size_t x = 0; x < columns; x++) {
        uint8_t *d = to + (ptrdiff_t)x * to_stride;
        const uint8_t *s = from + x * size;
        for (size_t y = 0; y < rows; y++)
            memcpy(d + y * size, s + (ptrdiff_t)y * from_stride, size);
    }
}

/* Transposes one block: whole squares of eight where possible. */
INLINE void transpose_block(uint8_t *to, ptrdiff_t to_stride, const uint8_t *from, ptrdiff_t from_stride,
                            size_t columns, size_t rows, size_t size) {
    /* Blocks at an edge whose sides are no multiple of 8, and other pixel sizes. */
    if (size != 4 || (columns | rows) % 8 != 0) {
        transpose_pixels(to, to_stride, from, from_stride, columns, rows, size);
        return;
    }
    for (size_t x = 0; x < columns; x += 8)
        for (size_t y = 0; y < rows; y += 8)
            transpose8(to + (ptrdiff_t)x * to_stride + y * 4, to_stride, from + (ptrdiff_t)y * from_stride + x * 4,
                       from_stride);
}

/* Transposes block by block, because a column touches a cache line for each of its pixels. */
INLINE void transpose(uint8_t *to, ptrdiff_t to_stride, const uint8_t *from, ptrdiff_t from_stride, size_t columns,
                      size_t rows, size_t size) {
    for (size_t x = 0; x < columns; x += BLOCK)
        for (size_t y = 0; y < rows; y += BLOCK)
            transpose_block(to + (ptrdiff_t)x * to_stride + y * size, to_stride,
                            from + (ptrdiff_t)y * from_stride + x * size, from_stride,
                            columns - x < BLOCK ? columns - x : BLOCK, rows - y < BLOCK ? rows - y : BLOCK, size);
}

KERNEL(void, sdpx_transpose, (to, to_stride, from, from_stride, columns, rows, bytes_per_pixel), void *to,
       ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride, size_t columns, size_t rows, int bytes_per_pixel) {
    switch (bytes_per_pixel) {
    case 1: transpose(to, to_stride, from, from_stride, columns, rows, 1); break;
    case 2: transpose(to, to_stride, from, from_stride, columns, rows, 2); break;
    case 3: transpose(to, to_stride, from, from_stride, columns, rows, 3); break;
    case 4: transpose(to, to_stride, from, from_stride, columns, rows, 4); break;
    case 6: transpose(to, to_stride, from, from_stride, columns, rows, 6); break;
    case 8: transpose(to, to_stride, from, from_stride, columns, rows, 8); break;
    case 16: transpose(to, to_stride, from, from_stride, columns, rows, 16); break;
    default: break;
    }
}

/* Reverses whole vectors, then the rest pixel by pixel. Reads from left to right: reads stall, and the prefetcher
   follows that direction. */
#define MIRROR_VECTORS(type, ...)                                                                                      \
    for (; x + sizeof(type) / size <= pixels; x += sizeof(type) / size) {                                              \
        type v;                                                                                                        \
        memcpy(&v, from + x * size, sizeof v);                                                                         \
        v = __builtin_shufflevector(v, v, __VA_ARGS__);                                                                \
        memcpy(to + (pixels - x) * size - sizeof v, &v, sizeof v);                                                     \
    }

/* Mirrors a row into another one; `size` is a compile-time constant. */
INLINE void mirror(uint8_t *to, const uint8_t *from, size_t pixels, size_t size) {
    size_t x = 0;
    switch (size) {
    case 1:
        MIRROR_VECTORS(byte32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10,
                       9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
        break;
    case 2: MIRROR_VECTORS(short16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0) break;
    case 4: MIRROR_VECTORS(pixel8, 7, 6, 5, 4, 3, 2, 1, 0) break;
    case 8: MIRROR_VECTORS(wide4, 3, 2, 1, 0) break;
    default: break;
    }
    for (; x < pixels; x++)
        memcpy(to + (pixels - 1 - x) * size, from + x * size, size);
}

KERNEL(void, sdpx_mirror_row_to, (to, from, pixels, bytes_per_pixel), void *to, const void *from, size_t pixels,
       int bytes_per_pixel) {
    switch (bytes_per_pixel) {
    case 1: mirror(to, from, pixels, 1); break;
    case 2: mirror(to, from, pixels, 2); break;
    case 3: mirror(to, from, pixels, 3); break;
    case 4: mirror(to, from, pixels, 4); break;
    case 6: mirror(to, from, pixels, 6); break;
    case 8: mirror(to, from, pixels, 8); break;
    case 16: mirror(to, from, pixels, 16); break;
    default: break;
    }
}

/* Exchanges pixels from both ends. */
INLINE void mirror_in_place(uint8_t *row, size_t pixels, size_t size) {
    if (pixels < 2)
        return;
    uint8_t *low = row, *high = row + (pixels - 1) * size;
    /* A pixel in the middle stays. */
    for (; low < high; low += size, high -= size) {
        uint8_t saved[16];
        memcpy(saved, low, size);
        memcpy(low, high, size);
        memcpy(high, saved, size);
    }
}

void sdpx_mirror_row(void *row, size_t pixels, int bytes_per_pixel) {
    switch (bytes_per_pixel) {
    case 1: mirror_in_place(row, pixels, 1); break;
    case 2: mirror_in_place(row, pixels, 2); break;
    case 3: mirror_in_place(row, pixels, 3); break;
    case 4: mirror_in_place(row, pixels, 4); break;
    case 6: mirror_in_place(row, pixels, 6); break;
    case 8: mirror_in_place(row, pixels, 8); break;
    case 16: mirror_in_place(row, pixels, 16); break;
    default: break;
    }
}
