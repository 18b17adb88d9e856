/* sdpx_lzw.h: the LZW decoder of GIF. */
#ifndef SDPX_LZW_H
#define SDPX_LZW_H

#include <stddef.h>
#include <stdint.h>

/* The LZW decoder of GIF (GIF89a, appendix F). Memory-safe for any input; can pause at any byte and any pixel. */
enum {
    /* Bytes of the caller's memory before the first pixel and after the last. */
    SDPX_LZW_HEAD = 256,
    SDPX_LZW_ROOM = 16,
    /* Decoder status: needs more data; all pixels are decoded; the data ended before that; a code is invalid. */
    SDPX_LZW_MORE = 0,
    SDPX_LZW_FULL = 1,
    SDPX_LZW_END = 2,
    SDPX_LZW_BAD = 3
};

typedef struct sdpx_lzw sdpx_lzw;

/* Returns the size of a decoder in bytes; it must be aligned to 8. */
size_t sdpx_lzw_size(void);

/* Prepares the decoder for `pixels` pixels; `memory` has HEAD + pixels + ROOM bytes. 0 if the minimum code size is not
   1 to 11, or there are too many pixels. */
int sdpx_lzw_start(sdpx_lzw *lzw, unsigned minimum_size, uint8_t *memory, uint32_t pixels);

/* Decodes the next bytes of the sub-blocks, lengths included, until they end or at least `pixels` pixels are decoded.
   Returns the number of bytes used; `memory` is that of the start. Pixels are palette indices from HEAD on. */
size_t sdpx_lzw_decode(sdpx_lzw *lzw, uint8_t *memory, const uint8_t *blocks, size_t length, uint32_t pixels);

/* Return the number of pixels decoded so far, and the decoder status. */
uint32_t sdpx_lzw_count(const sdpx_lzw *lzw);
int sdpx_lzw_status(const sdpx_lzw *lzw);

#endif
