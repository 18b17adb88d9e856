/* sdpx_inflate.h: incremental inflating of a zlib stream (RFC 1950, RFC 1951). */
#ifndef SDPX_INFLATE_H
#define SDPX_INFLATE_H

#include <stddef.h>
#include <stdint.h>

typedef struct sdpx_inflater sdpx_inflater;

enum {
    /* All input was consumed; the stream continues. */
    SDPX_INFLATE_NEEDS_INPUT = 0,
    /* The window is full. */
    SDPX_INFLATE_IS_FULL = 1,
    /* The last block is complete. The checksum after it is not verified. */
    SDPX_INFLATE_ENDED = 2,
    /* Invalid stream; the bytes written precede the damage. */
    SDPX_INFLATE_DAMAGED = 3
};

/* Returns the size of an inflater in bytes; the caller provides the memory, aligned to 8. */
size_t sdpx_inflater_size(void);

/* Initializes an inflater; also to begin another stream. */
void sdpx_inflate_start(sdpx_inflater *inflater);

/* Inflates from `*in` into `window` at `*position`, and advances both. The bytes before `*position` are the history of
   matches: when the caller empties the window, the last 32 KiB must remain right before the new position. A reference
   to before the window is damage. The output does not depend on how input and output are split. */
int sdpx_inflate(sdpx_inflater *inflater, const uint8_t **in, const uint8_t *in_end, uint8_t *window, size_t *position,
                 size_t capacity);

/* Returns the number of bytes at the end of the input that were consumed but not used yet. */
size_t sdpx_inflate_ahead(const sdpx_inflater *inflater);

#endif
