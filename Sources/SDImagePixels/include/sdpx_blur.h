/* Box means along strips of memory. */
#ifndef SDPX_BLUR_H
#define SDPX_BLUR_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of a strip at each of its positions. */
enum { SDPX_BLUR_WIDTH = 32 };

/* What the samples of a strip are. */
typedef enum { SDPX_BLUR_U8 = 1, SDPX_BLUR_U16 = 2, SDPX_BLUR_F32 = 4 } sdpx_blur_kind;

/* Bytes of working memory for strips of so many positions, aligned to 64 bytes. */
size_t sdpx_blur_scratch(sdpx_blur_kind kind, size_t length, size_t box);

/* Three means of `box` positions, an odd number, one after the other along the strip and in place, as if its first and
   last samples went on for ever: SDPX_BLUR_WIDTH bytes at each of `length` positions, `stride` bytes apart. Nothing is
   rounded before the end. */
void sdpx_blur_strip(void *strip, ptrdiff_t stride, size_t length, size_t box, sdpx_blur_kind kind, void *scratch);

/* Multiplies the colour of straight RGBA of 8 or 16 bits or float by its alpha, in place; and divides it again. */
void sdpx_premultiply_row(void *row, size_t pixels, int format);
void sdpx_straighten_row(void *row, size_t pixels, int format);

#endif
