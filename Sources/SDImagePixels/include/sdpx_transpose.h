/* sdpx_transpose.h: transposed and mirrored pixels. */
#ifndef SDPX_TRANSPOSE_H
#define SDPX_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>

/* Transposes: pixel x of source row y goes to pixel y of destination row x. Strides are in bytes and may be negative;
   `bytes_per_pixel` is 1, 2, 3, 4, 6, 8 or 16. */
void sdpx_transpose(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride, size_t columns, size_t rows,
                    int bytes_per_pixel);

/* Reverse the pixels of a row, into another one or in place. */
void sdpx_mirror_row_to(void *to, const void *from, size_t pixels, int bytes_per_pixel);
void sdpx_mirror_row(void *row, size_t pixels, int bytes_per_pixel);

#endif
