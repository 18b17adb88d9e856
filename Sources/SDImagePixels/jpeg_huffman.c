/* jpeg_huffman.c: look-up tables for the Huffman codes of a JPEG (ITU-T T.81 | ISO/IEC 10918-1, annex C).
   DCThumbnailDecoder needs only the lowest coefficients, so one look-up skips several AC coefficients at once: a step.

   A step covers whole symbols: codes with the numbers that follow them. Its entry has the bits to drop and the
   coefficients to advance. BLOCK_END marks the end of the block, NO_STEP an index without a step. */
#include <string.h>

#include "jpeg_symbols.h"
#include "sdpx_jpeg_huffman.h"

/* Repeats an entry for all values of the bits after a code. */
static inline void fill_entries(uint16_t *to, size_t count, uint16_t value) {
    for (size_t i = 0; i < count; i++)
        to[i] = value;
}

/* Makes the steps for all values of `bits` bits. `tails` has those for n fewer bits from 1 << n on. `last`: the steps
   are for use; others only complete longer ones. */
static void make_steps(uint16_t *to, uint32_t bits, const uint16_t *tails, int last, const uint8_t *lengths,
                       const uint8_t *values) {
    uint16_t none = last ? STEP(0, NO_STEP) : 0, *end = to + (1u << bits);
    for (uint32_t length = 1; length <= bits; length++) {
        for (uint32_t n = lengths[length - 1]; n > 0; n--, values++) {
            uint32_t size = *values & 15u, run = *values >> 4, all = length + size;
            size_t room = (size_t)1 << (bits - length);
            uint16_t step = STEP(all, run + 1);
            /* Nothing follows within the block: the rest of the index does not matter. */
            if (ends_block(size, run)) {
                fill_entries(to, room, STEP(length, BLOCK_END));
            } else if (all > bits) {
                /* The number after the code extends beyond the index. */
                fill_entries(to, room, last && all <= LONGEST_STEP ? step : none);
            } else {
                const uint16_t *rest = tails + ((size_t)1 << (bits - all));
                for (size_t i = 0; i < room; i++)
                    to[i] = (uint16_t)(step + rest[i & (((size_t)1 << (bits - all)) - 1)]);
            }
            to += room;
        }
    }
    fill_entries(to, (size_t)(end - to), none);
}

/* Makes the entries of single symbols. Codes are assigned in order, so that their entries are in order too; 0 for codes
   that are not assigned or longer than the index. */
static void make_symbols(uint16_t *to, const uint8_t *lengths, const uint8_t *values) {
    uint16_t *end = to + (1 << SDPX_JPEG_SYMBOL_BITS);
    for (uint32_t length = 1; length <= SDPX_JPEG_SYMBOL_BITS; length++) {
        for (uint32_t n = lengths[length - 1]; n > 0; n--, values++) {
            size_t room = (size_t)1 << (SDPX_JPEG_SYMBOL_BITS - length);
            fill_entries(to, room, SYMBOL(length + (*values & 15u), *values & 15u, *values >> 4));
            to += room;
        }
    }
    fill_entries(to, (size_t)(end - to), 0);
}

int sdpx_jpeg_make_huffman(sdpx_jpeg_huffman *table, const uint8_t *lengths, const uint8_t *values, size_t count,
                           int has_steps) {
    uint32_t code = 0, offset = 0;
    for (uint32_t length = 1; length <= 16; length++) {
        uint32_t n = lengths[length - 1];
        /* More values than the segment has, or more codes than a length allows. */
        if (offset + n > count || offset + n > sizeof table->values || code + n > 1u << length)
            return 0;
        table->offsets[length] = offset - code;
        table->limits[length] = (code + n) << (16 - length);
        offset += n;
        code = (code + n) << 1;
    }
    /* Any of the 256 may be looked up. */
    memset(table->values, 0, sizeof table->values);
    memcpy(table->values, values, offset);
    make_symbols(table->symbols, lengths, table->values);
    if (!has_steps)
        return 1;
    /* Shorter tables come first: a step ends with those that the remaining bits allow. */
    uint16_t tails[1 << SDPX_JPEG_STEP_BITS];
    for (uint32_t bits = 0; bits < SDPX_JPEG_STEP_BITS; bits++)
        make_steps(tails + (1u << bits), bits, tails, 0, lengths, table->values);
    make_steps(table->steps, SDPX_JPEG_STEP_BITS, tails, 1, lengths, table->values);
    return 1;
}
