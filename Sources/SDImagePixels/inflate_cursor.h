/* inflate_cursor.h: the input and output positions of an inflater, and the bits read ahead. */
#ifndef SDPX_INFLATE_CURSOR_H
#define SDPX_INFLATE_CURSOR_H

#include "inflate_tables.h"

/* The state of one call, held in registers. */
typedef struct {
    uint64_t bits;  /* bits read ahead, the next lowest */
    uint32_t count; /* their number */
    const uint8_t *in, *in_end;
    uint8_t *begin, *out, *out_end; /* the window; matches begin at `begin` at the earliest */
} cursor;

/* Provides at least 56 bits. Bits above `count` are valid next bits too: reading them again changes nothing. */
INLINE void fill_fast(cursor *c) {
    c->bits |= load64(c->in) << c->count;
    c->in += (63 - c->count) >> 3;
    c->count |= 56;
}

/* Provides at least 56 bits, or all that are left. */
INLINE void fill(cursor *c) {
    if (LIKELY(c->in_end - c->in >= 8)) {
        fill_fast(c);
        return;
    }
    while (c->count < 56 && c->in < c->in_end) {
        c->bits |= (uint64_t)*c->in++ << c->count;
        c->count += 8;
    }
}

/* Returns the next `n` bits, at most 32, without taking them. */
INLINE uint32_t low_bits(const cursor *c, uint32_t n) {
    return (uint32_t)(c->bits & ((1ull << n) - 1));
}

/* Takes `n` bits, which must be there. */
INLINE void drop(cursor *c, uint32_t n) {
    c->bits >>= n;
    c->count -= n;
}

#endif
