/* Inflating a zlib stream (RFC 1950, RFC 1951) piece by piece, as fast as its input and output allow. */
#ifndef SDPX_INFLATE_H
#define SDPX_INFLATE_H

#include <stddef.h>
#include <stdint.h>

typedef struct sdpx_inflater sdpx_inflater;

enum {
    /* All input was taken; the stream goes on. */
    SDPX_INFLATE_NEEDS_INPUT = 0,
    /* The window is full. */
    SDPX_INFLATE_IS_FULL = 1,
    /* The last block is complete. The check sum behind it is not looked at. */
    SDPX_INFLATE_ENDED = 2,
    /* No such stream; what was written before is what came before the damage. */
    SDPX_INFLATE_DAMAGED = 3
};

/* The bytes that an inflater takes; the caller provides them, aligned to 8. */
size_t sdpx_inflater_size(void);

/* To be called first, and to begin another stream. */
void sdpx_inflate_start(sdpx_inflater *inflater);

/* Inflates from `*in` on into `window` from `*position` on, and moves both. What lies before `*position` is the history
   that matches refer to: when the caller empties the window the last 32 KiB must remain, right before the new position.
   A reference to before the window is damage. Where pieces of input or output end makes no difference to the bytes. */
int sdpx_inflate(sdpx_inflater *inflater, const uint8_t **in, const uint8_t *in_end, uint8_t *window, size_t *position,
                 size_t capacity);

/* Bytes at the end of the input so far that were taken and not used yet. */
size_t sdpx_inflate_ahead(const sdpx_inflater *inflater);

#endif
