/* sdpx_blur.h: box means along strips of memory. */
#ifndef SDPX_BLUR_H
#define SDPX_BLUR_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_format.h"

/* Bytes of a strip at each position. */
enum { SDPX_BLUR_WIDTH = 32 };

/* The sample type of a strip. */
typedef enum { SDPX_BLUR_U8 = 1, SDPX_BLUR_U16 = 2, SDPX_BLUR_F32 = 4 } sdpx_blur_kind;

/* Returns the bytes of working memory for strips of `length` positions; it must be aligned to 64 bytes. */
size_t sdpx_blur_scratch(sdpx_blur_kind kind, size_t length, size_t box);

/* Applies three box means of `box` positions, an odd number, one after the other along the strip and in place. The
   first and last samples are repeated beyond the ends. The strip has SDPX_BLUR_WIDTH bytes at each of `length`
   positions, `stride` bytes apart. Only the final result is rounded. */
void sdpx_blur_strip(void *strip, ptrdiff_t stride, size_t length, size_t box, sdpx_blur_kind kind, void *scratch);

/* Multiply the color of straight RGBA of 8 or 16 bits or float by its alpha, in place, and divide it again. */
void sdpx_premultiply_row(void *row, size_t pixels, sdpx_format format);
void sdpx_straighten_row(void *row, size_t pixels, sdpx_format format);

#endif
