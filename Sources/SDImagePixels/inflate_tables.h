/* inflate_tables.h: the state of an inflater, and its code lookup tables. */
#ifndef SDPX_INFLATE_TABLES_H
#define SDPX_INFLATE_TABLES_H

#include "kernel.h"

/* Bits that index the first level of a table; longer codes continue in a second one. */
enum { SYMBOL_BITS = 11, DISTANCE_BITS = 9, LENGTH_BITS = 7 };
/* Limits including second levels. At most 2,342 entries are needed for 288 codes, and 594 for 32, by exhaustive
   search. */
enum { SYMBOL_ENTRIES = 2400, DISTANCE_ENTRIES = 640 };
enum { SYMBOLS = 288, DISTANCES = 32, LONGEST_CODE = 15, LONGEST_MATCH = 258 };
/* The maximum number of bytes that one iteration of the fast loop reads and writes, each with room for whole words. */
enum { INPUT_MARGIN = 32, OUTPUT_MARGIN = LONGEST_MATCH + 96 };

/* Table entries.
   - Bits 0-5: bits to drop, including a length's extra bits.
   - Bits 6-7: the number of literals in bits 8-31, the first lowest.
   Without literals:
   - Bits 8-11: bits of the code alone, or index bits of a second level.
   - Bits 13-15: one of the kinds below, or none for a length or distance.
   - Bits 16-31: the base value, or the start of the second level. */
enum {
    SECOND_LEVEL = 1 << 13,
    END_OF_BLOCK = 1 << 14,
    INVALID = 1 << 15,
    NO_VALUE = SECOND_LEVEL | END_OF_BLOCK | INVALID
};
enum { LITERALS = 3 << 6, ONE_LITERAL = 1 << 6 };

/* The part of the stream that comes next. */
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

/* The state between two calls. */
struct sdpx_inflater {
    uint64_t bits; /* bits read ahead, the next lowest */
    uint32_t bit_count;
    uint32_t stage; /* a value of `enum stage` */
    uint32_t is_last_block;
    /* Remaining bytes of a stored block or of a match. */
    uint32_t length;
    uint32_t distance; /* the distance of a match */
    uint32_t symbol_count, distance_count, length_count;
    /* Code lengths read so far. */
    uint32_t index;
    /* Selects the table of the fast loop: `pairs`, or `symbols` if no two literals fit. */
    uint32_t has_pairs;
    uint8_t lengths[SYMBOLS + DISTANCES]; /* code lengths of symbols, then of distances */
    uint32_t symbols[SYMBOL_ENTRIES];
    uint32_t pairs[1 << SYMBOL_BITS];
    uint32_t distances[DISTANCE_ENTRIES];
    uint32_t length_codes[1 << LENGTH_BITS];
};

/* Builds the tables of a block from the lengths of its codes: those for symbols, followed by those for distances. 0 if
   they are invalid. */
int sdpx_inflate_build_block(struct sdpx_inflater *s, uint32_t symbols, uint32_t distances);
/* Builds the tables of blocks with fixed codes. */
int sdpx_inflate_build_fixed(struct sdpx_inflater *s);
/* Builds the table of the code that encodes the lengths of the others. */
int sdpx_inflate_build_lengths(struct sdpx_inflater *s, const uint8_t *lengths, uint32_t count);

#endif
