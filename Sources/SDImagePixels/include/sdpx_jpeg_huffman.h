/* sdpx_jpeg_huffman.h: lookup tables for the Huffman codes of JPEG files (ISO/IEC 10918-1). */
#ifndef SDPX_JPEG_HUFFMAN_H
#define SDPX_JPEG_HUFFMAN_H

#include <stddef.h>
#include <stdint.h>

enum {
    /* Index bits of the table of steps over several AC symbols, and of that of single symbols. */
    SDPX_JPEG_STEP_BITS = 12,
    SDPX_JPEG_SYMBOL_BITS = 10
};

/* The lookup tables of one Huffman table. */
typedef struct {
    uint16_t steps[1 << SDPX_JPEG_STEP_BITS]; /* only for AC coefficients */
    uint16_t symbols[1 << SDPX_JPEG_SYMBOL_BITS];
    /* For longer codes: the end of the codes of each length in 16 bits, and the offset from such a code to its
       value. */
    uint32_t limits[17];
    uint32_t offsets[17];
    uint8_t values[256]; /* symbols in the order of their codes */
} sdpx_jpeg_huffman;

/* Makes a table from the number of codes of each length from 1 to 16, and their values. 0 if the codes are invalid.
   `has_steps`: for the AC coefficients of sequential scans. */
int sdpx_jpeg_make_huffman(sdpx_jpeg_huffman *table, const uint8_t *lengths, const uint8_t *values, size_t count,
                           int has_steps);

#endif
