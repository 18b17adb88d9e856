#include "sdpx_lzw.h"

#include <string.h>

/* A string of the table is a range of the output. That of an added code begins where the previous code was written, and
   extends one pixel into the following output. So the output is the only data structure, and a code costs one copy. The
   256 bytes before the pixels are the strings of the single-pixel codes. */

enum {
    MAXIMUM_SIZE = 12,
    CODES = 1 << MAXIMUM_SIZE,
    /* Strings are copied in steps of this size. Excess bytes are overwritten by the next string, or fall in the extra
       room. */
    STEP = SDPX_LZW_ROOM
};

/* The decoder; its memory belongs to the caller. */
struct sdpx_lzw {
    int status;
    uint32_t bit_count;
    /* Bits read from the blocks and not used yet, the next lowest. */
    uint64_t bits;
    /* Unread bytes of the current block. */
    uint32_t block_left;
    /* The clear code, the bits of the first codes, the code to be added next, the bits of a code. */
    uint32_t clear, first_size, next, size;
    /* The string of the previous code; its length is 0 after a clear code. */
    uint32_t previous_start, previous_length;
    /* Offsets in the memory: of the next pixel, and of the end. */
    uint32_t position, end;
    uint32_t start[CODES];  /* offset of the string of each code */
    uint16_t length[CODES]; /* its length in pixels */
};

/* Empties the table: the next code is the one after the clear code and the end code. */
static void clear_table(sdpx_lzw *lzw) {
    lzw->next = lzw->clear + 2;
    lzw->size = lzw->first_size;
    lzw->previous_length = 0;
}

int sdpx_lzw_start(sdpx_lzw *lzw, unsigned minimum_size, uint8_t *memory, uint32_t pixels) {
    if (minimum_size < 1 || minimum_size >= MAXIMUM_SIZE || pixels > UINT32_MAX - SDPX_LZW_HEAD - STEP)
        return 0;
    lzw->clear = 1u << minimum_size;
    lzw->first_size = minimum_size + 1;
    for (uint32_t code = 0; code < lzw->clear; code++) {
        /* With a minimum size above 8, codes above 255 count as their lowest byte. */
        lzw->start[code] = code & (SDPX_LZW_HEAD - 1);
        lzw->length[code] = 1;
    }
    for (uint32_t value = 0; value < SDPX_LZW_HEAD; value++)
        memory[value] = (uint8_t)value;
    clear_table(lzw);
    lzw->position = SDPX_LZW_HEAD;
    lzw->end = SDPX_LZW_HEAD + pixels;
    lzw->bits = 0;
    lzw->bit_count = 0;
    lzw->block_left = 0;
    lzw->status = pixels ? SDPX_LZW_MORE : SDPX_LZW_FULL;
    return 1;
}

/* The input of codes: the rest of one block, and the end of all readable bytes. */
struct source {
    const uint8_t *at, *block_end, *end;
};

/* Fills the bits to more than the longest code, as far as the block has data. */
static inline __attribute__((always_inline)) void refill(uint64_t *bits, uint32_t *count, struct source *from) {
    if (from->end - from->at >= 8) {
        uint64_t word;
        memcpy(&word, from->at, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        /* Reads eight bytes at once, also beyond the block, and takes only those of the block. */
        ptrdiff_t wanted = (63 - *count) >> 3, there = from->block_end - from->at;
        ptrdiff_t taken = there < wanted ? there : wanted;
        *bits |= (word & ~(~0ULL << (8 * taken))) << *count;
        *count += (uint32_t)(8 * taken);
        from->at += taken;
        return;
    }
    while (*count <= 56 && from->at < from->block_end) {
        *bits |= (uint64_t)*from->at++ << *count;
        *count += 8;
    }
}

/* Copies through registers, because the ranges may overlap after the string itself, where the contents do not
   matter. */
static inline __attribute__((always_inline)) void copy_step(uint8_t *to, const uint8_t *from) {
    uint64_t words[STEP / 8];
    memcpy(words, from, STEP);
    memcpy(to, words, STEP);
}

/* Decodes the codes of one block, until it ends, or `pause` is reached or passed.

   The end code follows the clear code. Each other code adds the previous string, extended by the first pixel of its
   own, which follows it in the output. The last string of the image is cut at `end`, and further codes are ignored. */
static void decode_block(sdpx_lzw *lzw, uint8_t *memory, struct source *from, uint32_t pause) {
    uint32_t *const start = lzw->start;
    uint16_t *const length = lzw->length;
    const uint32_t clear = lzw->clear, end = lzw->end;
    uint64_t bits = lzw->bits;
    uint32_t bit_count = lzw->bit_count, next = lzw->next, size = lzw->size, mask = (1u << size) - 1;
    uint32_t previous = lzw->previous_start, previous_length = lzw->previous_length, position = lzw->position;
    while (position < pause) {
        refill(&bits, &bit_count, from);
        if (bit_count < size)
            break;
        do {
            uint32_t code = (uint32_t)bits & mask;
            bits >>= size;
            bit_count -= size;
            if (code - clear < 2) {
                if (code != clear) {
                    lzw->status = SDPX_LZW_END;
                    goto out;
                }
                clear_table(lzw);
                next = lzw->next;
                size = lzw->size;
                mask = (1u << size) - 1;
                previous_length = 0;
                continue;
            }
            /* The code that is about to be added is the previous string followed by its own first pixel. */
            int is_new = code >= next;
            if (is_new && (code != next || !previous_length || next == CODES)) {
                lzw->status = SDPX_LZW_BAD;
                goto out;
            }
            uint32_t string = is_new ? previous : start[code], count = is_new ? previous_length + 1u : length[code];
            uint8_t *to = memory + position;
            const uint8_t *source = memory + string;
            if (count >= end - position) {
                for (uint32_t i = 0; i < end - position; i++)
                    to[i] = source[i];
                position = end;
                lzw->status = SDPX_LZW_FULL;
                goto out;
            }
            copy_step(to, source);
            for (uint32_t i = STEP; i < count; i += STEP)
                copy_step(to + i, source + i);
            if (is_new)
                to[count - 1] = to[0];
            if (previous_length && next < CODES) {
                start[next] = previous;
                length[next] = (uint16_t)(previous_length + 1);
                /* A full table stays unchanged until it is cleared. */
                if (++next > mask && size < MAXIMUM_SIZE)
                    mask = (1u << ++size) - 1;
            }
            previous = position;
            previous_length = count;
            position += count;
        } while (bit_count >= size);
    }
out:
    lzw->bits = bits;
    lzw->bit_count = bit_count;
    lzw->next = next;
    lzw->size = size;
    lzw->previous_start = previous;
    lzw->previous_length = previous_length;
    lzw->position = position;
}

size_t sdpx_lzw_decode(sdpx_lzw *lzw, uint8_t *memory, const uint8_t *blocks, size_t length, uint32_t pixels) {
    const uint8_t *at = blocks, *end = blocks + length;
    uint32_t pause = pixels < lzw->end - SDPX_LZW_HEAD ? SDPX_LZW_HEAD + pixels : lzw->end;
    while (lzw->status == SDPX_LZW_MORE && lzw->position < pause) {
        if (lzw->block_left == 0) {
            if (at == end)
                break;
            lzw->block_left = *at++;
            if (lzw->block_left == 0)
                lzw->status = SDPX_LZW_END;
            continue;
        }
        /* The part of the block that has arrived. */
        size_t there = (size_t)(end - at), taken = there < lzw->block_left ? there : lzw->block_left;
        struct source from = {at, at + taken, end};
        decode_block(lzw, memory, &from, pause);
        lzw->block_left -= (uint32_t)(from.at - at);
        /* No code is complete, and no further bytes have arrived. */
        if (from.at == at && lzw->status == SDPX_LZW_MORE && lzw->position < pause && taken == there)
            break;
        at = from.at;
    }
    return (size_t)(at - blocks);
}

size_t sdpx_lzw_size(void) {
    return sizeof(sdpx_lzw);
}

int sdpx_lzw_status(const sdpx_lzw *lzw) {
    return lzw->status;
}

uint32_t sdpx_lzw_count(const sdpx_lzw *lzw) {
    return lzw->position - SDPX_LZW_HEAD;
}
