/* inflate_tables.h: the state of an inflater, and the tables by which codes are looked up. */
#ifndef SDPX_INFLATE_TABLES_H
#define SDPX_INFLATE_TABLES_H

#include "sdpx_inflate.h"

#define INLINE static inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)

/* Bits that index the first level of a table; longer codes go on in a second one. */
enum { SYMBOL_BITS = 11, DISTANCE_BITS = 9, LENGTH_BITS = 7 };
/* Second levels need less than this: at most 2,342 entries in all for 288 codes, and 594 for 32, by exhaustive
   search. */
enum { SYMBOL_ENTRIES = 2400, DISTANCE_ENTRIES = 640 };
enum { SYMBOLS = 288, DISTANCES = 32, LONGEST_CODE = 15, LONGEST_MATCH = 258 };
/* What one turn of the fast loop may read and write, each with room for whole words. */
enum { INPUT_MARGIN = 32, OUTPUT_MARGIN = LONGEST_MATCH + 96 };

/* Table entries. Bits 0-5: bits to drop, a length's extra bits included. Bits 6-7: how many literals follow in bits
   8-31, the first lowest. Without literals: bits 8-11 the code alone, or the bits that index a second level; bits 13-15
   one of the kinds below, or none for a length or distance; bits 16-31 the base value, or where the second level
   lies. */
enum {
    SECOND_LEVEL = 1 << 13,
    END_OF_BLOCK = 1 << 14,
    INVALID = 1 << 15,
    NO_VALUE = SECOND_LEVEL | END_OF_BLOCK | INVALID
};
enum { LITERALS = 3 << 6, ONE_LITERAL = 1 << 6 };

enum stage {
    STREAM_HEADER,
    BLOCK_HEADER,
    STORED_LENGTH,
    STORED,
    CODE_COUNTS,
    LENGTH_CODE,
    CODE_LENGTHS,
    IN_BLOCK,
    MATCH,
    ENDED,
    DAMAGED
};

struct sdpx_inflater {
    uint64_t bits;
    uint32_t bit_count;
    uint32_t stage;
    uint32_t is_last_block;
    /* Bytes left of a stored block or of a match. */
    uint32_t length;
    uint32_t distance;
    uint32_t symbol_count, distance_count, length_count;
    /* Code lengths read so far. */
    uint32_t index;
    /* Looked up by the fast loop: `pairs`, or `symbols` where no two literals fit. */
    uint32_t has_pairs;
    uint8_t lengths[SYMBOLS + DISTANCES];
    uint32_t symbols[SYMBOL_ENTRIES];
    uint32_t pairs[1 << SYMBOL_BITS];
    uint32_t distances[DISTANCE_ENTRIES];
    uint32_t length_codes[1 << LENGTH_BITS];
};

/* Tables of a block, from the lengths of its codes for symbols and, behind them, for distances. 0 when they make
   none. */
int sdpx_inflate_build_block(sdpx_inflater *s, uint32_t symbols, uint32_t distances);
/* Those of blocks that bring none. */
int sdpx_inflate_build_fixed(sdpx_inflater *s);
/* The table of the code in which the lengths of the others are written. */
int sdpx_inflate_build_lengths(sdpx_inflater *s, const uint8_t *lengths, uint32_t count);

#endif
