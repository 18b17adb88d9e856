/* av1_stream.h: the format and number of the pictures in an AV1 stream (AV1 Bitstream & Decoding Process
 * Specification). */
#ifndef SDCS_AV1_STREAM_H
#define SDCS_AV1_STREAM_H

#include "span.h"

/* The pictures that a decoder may hold for a stream, or the most of several streams; zeros without a stream. */
typedef struct sdcs_av1_stream {
    uint32_t bits, chroma;  /* as in sdcs_info */
    uint32_t width, height; /* in the sequence header; frames may exceed them */
    uint32_t extra;         /* pictures that a frame may need besides: before super-resolution, and with film grain */
    size_t frames;
} sdcs_av1_stream;

/* Reads the headers of a stream in time linear in their number, and raises the fields of `most` to it. Ends at an
 * error, as decoders do. */
void sdcs_read_av1_stream(sdcs_span bytes, sdcs_av1_stream *most);

/* Returns the larger of two numbers. */
uint32_t sdcs_larger(uint32_t a, uint32_t b);

#endif
