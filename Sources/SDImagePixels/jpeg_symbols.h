/* jpeg_symbols.h: the format of the entries in the lookup tables of a JPEG's Huffman codes. */
#ifndef SDPX_JPEG_SYMBOLS_H
#define SDPX_JPEG_SYMBOLS_H

#include <stdint.h>

enum {
    BLOCK = 64,
    /* The maximum number of bits of a step: three of them fit a full window. */
    LONGEST_STEP = 18,
    /* Added to the advance of steps that end a block: more than the advance of others at a position below BLOCK. */
    BLOCK_END = 256,
    /* Marks the absence of a step: more than the advance of any. */
    NO_STEP = 1000
};

/* A step: the number of bits it consumes, and of coefficients it advances. */
#define STEP(bits, advance) ((uint16_t)((bits) | (uint32_t)(advance) << 6))
#define STEP_BITS(step) ((step)&63u)
#define STEP_ADVANCE(step) ((uint32_t)(step) >> 6)

/* A symbol: the bits of its code and the following number, those of the number alone, the number of zero coefficients
   before it. */
#define SYMBOL(bits, size, run) ((uint16_t)((bits) | (uint32_t)(size) << 6 | (uint32_t)(run) << 10))
#define SYMBOL_BITS(symbol) ((symbol)&63u)
#define SYMBOL_SIZE(symbol) ((uint32_t)(symbol) >> 6 & 15)
#define SYMBOL_RUN(symbol) ((uint32_t)(symbol) >> 10)

/* No number follows, and it is not a run of 16 zeros. */
static inline int ends_block(uint32_t size, uint32_t run) {
    return size == 0 && run < 15;
}

#endif
