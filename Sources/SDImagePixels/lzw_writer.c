#include "sdpx_lzw_writer.h"

#include <string.h>

/* Takes a third to a half of giflib's time for the same size: whole rows are encoded to blocks, without a call for each
   code. Strings are looked up by the code of their prefix and their last pixel.

   The encoder extends the current string by pixels as long as the table has the longer string. Then it writes the code
   of the string, adds the longer one to the table, and begins again with the last pixel. */
enum {
    MAXIMUM_SIZE = 12,
    CODES = 1 << MAXIMUM_SIZE,
    /* Twice the number of codes, to limit collisions. */
    SLOTS = 2 * CODES,
    BLOCK = 255
};

/* The encoder, between two rows. */
struct sdpx_lzw_writer {
    uint32_t clear, first_size, next, size; /* as in the decoder */
    /* The code of the current string, which may be extended; CODES if there is none. */
    uint32_t prefix;
    uint32_t bit_count;
    uint64_t bits; /* bits that make no byte yet, the first lowest */
    /* The block that is being filled. */
    uint32_t count;
    uint8_t block[BLOCK];
    /* Prefix and pixel above the code; 0 is an empty slot, because no string has the code 0. */
    uint32_t slots[SLOTS];
};

size_t sdpx_lzw_writer_size(void) {
    return sizeof(sdpx_lzw_writer);
}

/* Adds a byte to the block. Writes a full block with its length to `to`, and returns the position after it. */
static uint8_t *put_byte(sdpx_lzw_writer *lzw, uint8_t *to, uint8_t byte) {
    lzw->block[lzw->count++] = byte;
    if (lzw->count < BLOCK)
        return to;
    *to++ = BLOCK;
    memcpy(to, lzw->block, BLOCK);
    lzw->count = 0;
    return to + BLOCK;
}

/* Adds a code, the lowest bit first. */
static inline uint8_t *put_code(sdpx_lzw_writer *lzw, uint8_t *to, uint32_t code) {
    lzw->bits |= (uint64_t)code << lzw->bit_count;
    lzw->bit_count += lzw->size;
    while (lzw->bit_count >= 8) {
        to = put_byte(lzw, to, (uint8_t)lzw->bits);
        lzw->bits >>= 8;
        lzw->bit_count -= 8;
    }
    return to;
}

/* Adds the clear code, and empties the table. */
static uint8_t *put_clear(sdpx_lzw_writer *lzw, uint8_t *to) {
    to = put_code(lzw, to, lzw->clear);
    memset(lzw->slots, 0, sizeof lzw->slots);
    lzw->next = lzw->clear + 2;
    lzw->size = lzw->first_size;
    return to;
}

void sdpx_lzw_writer_start(sdpx_lzw_writer *lzw, unsigned minimum_size) {
    memset(lzw, 0, sizeof *lzw);
    lzw->clear = 1u << minimum_size;
    lzw->first_size = lzw->size = minimum_size + 1;
    lzw->prefix = CODES;
}

size_t sdpx_lzw_writer_bound(size_t pixels) {
    return pixels * 2 + 2 * BLOCK;
}

size_t sdpx_lzw_write(sdpx_lzw_writer *lzw, uint8_t *to, const uint8_t *indices, size_t pixels) {
    uint8_t *at = to;
    size_t i = 0;
    uint32_t prefix = lzw->prefix;
    /* The data begin with a clear code, as the specification recommends. */
    if (prefix == CODES && pixels) {
        at = put_clear(lzw, at);
        prefix = indices[i++];
    }
    for (; i < pixels; i++) {
        /* 20 bits: a code and a pixel. A slot has the key above the 12 bits of its code. */
        uint32_t key = prefix << 8 | indices[i], slot = (key * 0x9e3779b1u) >> 19, found;
        while ((found = lzw->slots[slot]) && found >> MAXIMUM_SIZE != key)
            slot = (slot + 1) % SLOTS;
        if (found) {
            prefix = found & (CODES - 1);
            continue;
        }
        at = put_code(lzw, at, prefix);
        prefix = indices[i];
        if (lzw->next < CODES) {
            /* The decoder adds a string one code later: its codes grow when the encoder's are one beyond. */
            if (lzw->next >> lzw->size)
                lzw->size++;
            lzw->slots[slot] = key << MAXIMUM_SIZE | lzw->next++;
        } else {
            at = put_clear(lzw, at);
        }
    }
    lzw->prefix = prefix;
    return (size_t)(at - to);
}

size_t sdpx_lzw_writer_finish(sdpx_lzw_writer *lzw, uint8_t *to) {
    uint8_t *at = to;
    at = lzw->prefix == CODES ? put_clear(lzw, at) : put_code(lzw, at, lzw->prefix);
    /* The decoder has added a string by that code too. */
    if (lzw->prefix != CODES && lzw->next < CODES && lzw->next >> lzw->size)
        lzw->size++;
    at = put_code(lzw, at, lzw->clear + 1);
    if (lzw->bit_count)
        at = put_byte(lzw, at, (uint8_t)lzw->bits);
    if (lzw->count) {
        *at++ = (uint8_t)lzw->count;
        memcpy(at, lzw->block, lzw->count);
        at += lzw->count;
    }
    *at++ = 0;
    return (size_t)(at - to);
}
