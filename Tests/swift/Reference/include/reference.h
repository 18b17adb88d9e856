/* Reference results of zlib and libpng, for comparisons in tests. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stddef.h>
#include <stdint.h>

/* Compresses with zlib at a level, 0 to 9, with a strategy, 0 to 4. Returns the length, 0 if it does not fit. */
size_t reference_deflate(void *to, size_t capacity, const void *from, size_t length, int level, int strategy);

enum { REFERENCE_GOES_ON = 0, REFERENCE_ENDED = 1, REFERENCE_DAMAGED = 2 };

/* Inflates the available data; `*produced` bytes precede the end or the damage. Ignores checksums. */
int reference_inflate(void *to, size_t capacity, const void *from, size_t length, size_t *produced);

uint32_t reference_crc(const void *bytes, size_t length);

/* Decodes a PNG to straight RGBA with 16 bits per sample in the machine's byte order, 8 bytes per pixel. Returns 0
 * if libpng rejects it. */
int reference_png(uint16_t *to, size_t width, size_t height, const void *bytes, size_t length);

#endif
