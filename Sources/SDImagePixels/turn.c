#include "sdpixels.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Columns and rows turned together: their source lines and destination lines fit the first-level cache. */
enum { BLOCK = 16 };

typedef uint32_t pixel4 __attribute__((vector_size(16)));

/* Four by four pixels of four bytes in registers. */
INLINE void transpose4(uint8_t *to, ptrdiff_t to_stride, const uint8_t *from, ptrdiff_t from_stride) {
    pixel4 r[4];
    for (int y = 0; y < 4; y++)
        memcpy(&r[y], from + y * from_stride, sizeof r[y]);
    pixel4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5), b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    pixel4 c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7), d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    pixel4 t[4] = {__builtin_shufflevector(a, b, 0, 1, 4, 5), __builtin_shufflevector(a, b, 2, 3, 6, 7),
                   __builtin_shufflevector(c, d, 0, 1, 4, 5), __builtin_shufflevector(c, d, 2, 3, 6, 7)};
    for (int x = 0; x < 4; x++)
        memcpy(to + x * to_stride, &t[x], sizeof t[x]);
}

/* A block of whole squares. */
INLINE void transpose_squares(uint8_t *to, ptrdiff_t to_stride, const uint8_t *from, ptrdiff_t from_stride,
                              size_t columns, size_t rows) {
    for (size_t x = 0; x < columns; x += 4)
        for (size_t y = 0; y < rows; y += 4)
            transpose4(to + (ptrdiff_t)x * to_stride + y * 4, to_stride, from + (ptrdiff_t)y * from_stride + x * 4,
                       from_stride);
}

INLINE void transpose(uint8_t *to, ptrdiff_t to_stride, const uint8_t *from, ptrdiff_t from_stride, size_t columns,
                      size_t rows, size_t size) {
    for (size_t x0 = 0; x0 < columns; x0 += BLOCK) {
        size_t x1 = x0 + BLOCK < columns ? x0 + BLOCK : columns;
        for (size_t y0 = 0; y0 < rows; y0 += BLOCK) {
            size_t y1 = y0 + BLOCK < rows ? y0 + BLOCK : rows;
            if (size == 4 && ((x1 - x0) | (y1 - y0)) % 4 == 0) {
                transpose_squares(to + (ptrdiff_t)x0 * to_stride + y0 * 4, to_stride,
                                  from + (ptrdiff_t)y0 * from_stride + x0 * 4, from_stride, x1 - x0, y1 - y0);
                continue;
            }
            for (size_t x = x0; x < x1; x++) {
                uint8_t *d = to + (ptrdiff_t)x * to_stride;
                const uint8_t *s = from + x * size;
                for (size_t y = y0; y < y1; y++)
                    memcpy(d + y * size, s + (ptrdiff_t)y * from_stride, size);
            }
        }
    }
}

void sdpx_transpose(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride, size_t columns, size_t rows,
                    int bytes_per_pixel) {
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

INLINE void mirror(uint8_t *row, size_t pixels, size_t size) {
    if (pixels < 2)
        return;
    uint8_t *low = row, *high = row + (pixels - 1) * size;
    for (; low < high; low += size, high -= size) {
        uint8_t kept[16];
        memcpy(kept, low, size);
        memcpy(low, high, size);
        memcpy(high, kept, size);
    }
}

void sdpx_mirror_row(void *row, size_t pixels, int bytes_per_pixel) {
    switch (bytes_per_pixel) {
    case 1: mirror(row, pixels, 1); break;
    case 2: mirror(row, pixels, 2); break;
    case 3: mirror(row, pixels, 3); break;
    case 4: mirror(row, pixels, 4); break;
    case 6: mirror(row, pixels, 6); break;
    case 8: mirror(row, pixels, 8); break;
    case 16: mirror(row, pixels, 16); break;
    default: break;
    }
}
