/* What zlib and libpng make of the same bytes, for tests to compare with. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stddef.h>
#include <stdint.h>

/* Compresses as zlib does at some level, 0 to 9, with some strategy, 0 to 4. Returns the length, 0 when it does not
   fit. */
size_t reference_deflate(void *to, size_t capacity, const void *from, size_t length, int level, int strategy);

enum { REFERENCE_GOES_ON = 0, REFERENCE_ENDED = 1, REFERENCE_DAMAGED = 2 };

/* Inflates as much as there is; `*produced` bytes came before the end or the damage. Check sums are not looked at. */
int reference_inflate(void *to, size_t capacity, const void *from, size_t length, size_t *produced);

uint32_t reference_crc(const void *bytes, size_t length);

/* Decodes a PNG to straight RGBA of 16 bits in the machine's order, 8 for each pixel. 0 when libpng refuses it. */
int reference_png(uint16_t *to, size_t width, size_t height, const void *bytes, size_t length);

#endif
