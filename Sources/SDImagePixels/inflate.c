/* Inflates the pixels of PNG and packed frames (docs/decisions.md, "PNG is inflated by an inflater of this project").

   The decoder is a machine of stages, so that it can stop at any byte of input or output. A part that needs bits which
   are not there yet returns without taking any, and is called again. Inside of a block, a fast loop decodes while input
   and output have room for its longest step; the rest is decoded symbol by symbol. */
#include "sdpx_inflate.h"

#include <string.h>

#include "inflate_cursor.h"
#include "inflate_tables.h"
#include "kernel.h"

size_t sdpx_inflater_size(void) {
    return sizeof(sdpx_inflater);
}

void sdpx_inflate_start(sdpx_inflater *s) {
    s->bits = 0;
    s->bit_count = 0;
    s->stage = STREAM_HEADER;
    s->is_last_block = 0;
}

/* --- The parts of a stream. Each returns a result for the caller, or GO_ON. */

/* The next part can begin. */
enum { GO_ON = -1 };

/* Ends the stream: every later call reports the damage too. */
static int fail(sdpx_inflater *s) {
    s->stage = DAMAGED;
    return SDPX_INFLATE_DAMAGED;
}

/* RFC 1950, section 2.2: deflate, a window of at most 32 KiB, no preset dictionary. */
static int read_stream_header(sdpx_inflater *s, cursor *c) {
    fill(c);
    if (c->count < 16)
        return SDPX_INFLATE_NEEDS_INPUT;
    uint32_t method = low_bits(c, 8), flags = low_bits(c, 16) >> 8;
    /* Bits 0-3 of the method are 8 for deflate, bits 4-7 the logarithm of the window minus 8. Bit 5 of the flags is
       that of a dictionary. */
    if ((method << 8 | flags) % 31 != 0 || (method & 15) != 8 || method >> 4 > 7 || flags & 32)
        return fail(s);
    drop(c, 16);
    s->stage = BLOCK_HEADER;
    return GO_ON;
}

/* RFC 1951, section 3.2.3: one bit for the last block, two for its type. */
static int read_block_header(sdpx_inflater *s, cursor *c) {
    if (s->is_last_block) {
        s->stage = ENDED;
        return SDPX_INFLATE_ENDED;
    }
    fill(c);
    if (c->count < 3)
        return SDPX_INFLATE_NEEDS_INPUT;
    uint32_t type = low_bits(c, 3) >> 1;
    s->is_last_block = low_bits(c, 1);
    drop(c, 3);
    if (type == 3)
        return fail(s);
    if (type == 0)
        /* A stored block begins at the next byte. */
        drop(c, c->count & 7);
    if (type == 1 && !sdpx_inflate_build_fixed(s))
        return fail(s);
    s->stage = type == 0 ? STORED_LENGTH : type == 1 ? IN_BLOCK : CODE_COUNTS;
    return GO_ON;
}

/* RFC 1951, section 3.2.4: the length, and its complement. */
static int read_stored_length(sdpx_inflater *s, cursor *c) {
    fill(c);
    if (c->count < 32)
        return SDPX_INFLATE_NEEDS_INPUT;
    uint32_t length = low_bits(c, 16), check = low_bits(c, 32) >> 16;
    if (length != (check ^ 0xFFFF))
        return fail(s);
    drop(c, 32);
    s->length = length;
    s->stage = STORED;
    return GO_ON;
}

/* Copies bytes of a stored block: first those in the bits, then from the input. */
static int copy_stored(sdpx_inflater *s, cursor *c) {
    while (s->length > 0 && c->count > 0 && c->out < c->out_end) {
        *c->out++ = (uint8_t)low_bits(c, 8);
        drop(c, 8);
        s->length--;
    }
    if (c->count == 0) {
        /* The bits above the count were read in advance. */
        c->bits = 0;
        size_t n = s->length, input = (size_t)(c->in_end - c->in), room = (size_t)(c->out_end - c->out);
        n = n < input ? n : input;
        n = n < room ? n : room;
        if (n > 0)
            memcpy(c->out, c->in, n);
        c->in += n;
        c->out += n;
        s->length -= (uint32_t)n;
    }
    if (s->length > 0)
        return c->out < c->out_end ? SDPX_INFLATE_NEEDS_INPUT : SDPX_INFLATE_IS_FULL;
    s->stage = BLOCK_HEADER;
    return GO_ON;
}

/* RFC 1951, section 3.2.7: the numbers of symbols, distances, and lengths of the code of lengths. Symbols 286 and 287
   and distances 30 and 31 do not occur. */
static int read_code_counts(sdpx_inflater *s, cursor *c) {
    fill(c);
    if (c->count < 14)
        return SDPX_INFLATE_NEEDS_INPUT;
    s->symbol_count = low_bits(c, 5) + 257;
    s->distance_count = (low_bits(c, 10) >> 5) + 1;
    s->length_count = (low_bits(c, 14) >> 10) + 4;
    drop(c, 14);
    if (s->symbol_count > 286 || s->distance_count > 30)
        return fail(s);
    memset(s->lengths, 0, sizeof s->lengths);
    s->index = 0;
    s->stage = LENGTH_CODE;
    return GO_ON;
}

/* Reads the lengths of the code of lengths, which are kept in `lengths` meanwhile. */
static int read_length_code(sdpx_inflater *s, cursor *c) {
    static const uint8_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    for (; s->index < s->length_count; s->index++) {
        fill(c);
        if (c->count < 3)
            return SDPX_INFLATE_NEEDS_INPUT;
        s->lengths[order[s->index]] = (uint8_t)low_bits(c, 3);
        drop(c, 3);
    }
    /* A copy, because the lengths of symbols are written to the same memory next. */
    uint8_t lengths[19];
    uint32_t used = 0;
    memcpy(lengths, s->lengths, sizeof lengths);
    for (uint32_t i = 0; i < sizeof lengths; i++)
        used += lengths[i] != 0;
    /* Unlike the other two codes, this one must be complete: a single symbol is invalid. */
    if (used < 2 || !sdpx_inflate_build_lengths(s, lengths, sizeof lengths))
        return fail(s);
    memset(s->lengths, 0, sizeof lengths);
    s->index = 0;
    s->stage = CODE_LENGTHS;
    return GO_ON;
}

/* Reads the lengths of the symbols and distances; 16 repeats the previous one, 17 and 18 repeat zeros. */
static int read_code_lengths(sdpx_inflater *s, cursor *c) {
    uint32_t total = s->symbol_count + s->distance_count;
    while (s->index < total) {
        fill(c);
        uint32_t entry = s->length_codes[low_bits(c, LENGTH_BITS)], bits = entry & 63, symbol = entry >> 16;
        uint32_t extra = symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
        if (c->count < bits + extra)
            return SDPX_INFLATE_NEEDS_INPUT;
        if (symbol < 16) {
            s->lengths[s->index++] = (uint8_t)symbol;
            drop(c, bits);
            continue;
        }
        /* The number of repetitions is in the extra bits. */
        uint32_t repeat = (low_bits(c, bits + extra) >> bits) + (symbol == 18 ? 11 : 3);
        if (repeat > total - s->index || (symbol == 16 && s->index == 0))
            return fail(s);
        memset(s->lengths + s->index, symbol == 16 ? s->lengths[s->index - 1] : 0, repeat);
        s->index += repeat;
        drop(c, bits + extra);
    }
    /* Without the end of block, symbol 256, the block could not end. */
    if (s->lengths[256] == 0 || !sdpx_inflate_build_block(s, s->symbol_count, s->distance_count))
        return fail(s);
    s->stage = IN_BLOCK;
    return GO_ON;
}

/* Copies a match; writes up to 63 bytes beyond it. */
INLINE void copy_match(uint8_t *out, size_t distance, size_t length) {
    const uint8_t *from = out - distance;
    uint8_t *end = out + length;
    if (distance < 16) {
        /* After 16 bytes the pattern can also be copied from several periods before. */
        static const uint8_t periods[] = {0, 16, 16, 18, 16, 20, 18, 21, 16, 18, 20, 22, 24, 26, 28, 30};
        if (distance >= 8) {
            memcpy(out, from, 8);
            memcpy(out + 8, from + 8, 8);
        } else if (distance == 1) {
            memset(out, *from, 16);
        } else if (distance >= 4) {
            for (int i = 0; i < 16; i += 4)
                memcpy(out + i, from + i, 4);
        } else {
            for (int i = 0; i < 16; i++)
                out[i] = from[i];
        }
        out += 16;
        from = out - periods[distance];
    }
    memcpy(out, from, 16);
    memcpy(out + 16, from + 16, 16);
    memcpy(out + 32, from + 32, 16);
    out += 48;
    from += 48;
    while (out < end) {
        memcpy(out, from, 16);
        memcpy(out + 16, from + 16, 16);
        out += 32;
        from += 32;
    }
}

/* Writes the literals of an entry, and looks up the next one. */
INLINE uint32_t put_literals(cursor *c, uint32_t entry, const uint32_t *symbols) {
    uint32_t literals = entry >> 8;
    memcpy(c->out, &literals, 4);
    c->out += (entry >> 6) & 3;
    drop(c, entry & 63);
    return symbols[low_bits(c, SYMBOL_BITS)];
}

/* Returns the value of a length or distance, including its extra bits. */
INLINE uint32_t take_value(cursor *c, uint32_t entry) {
    uint32_t value = (entry >> 16) + (low_bits(c, entry & 63) >> ((entry >> 8) & 15));
    drop(c, entry & 63);
    return value;
}

/* Takes the bits of the first level, and returns the entry of the second. */
INLINE uint32_t second_entry(cursor *c, uint32_t entry, const uint32_t *table) {
    drop(c, entry & 63);
    return table[(entry >> 16) + low_bits(c, (entry >> 8) & 15)];
}

/* Reads the distance of a length, and copies the match. 0 if the distance is invalid. `*entry` becomes the next
   symbol's entry: its look-up begins before the copy to hide its latency. */
INLINE int read_match(cursor *c, uint32_t *entry, const uint32_t *symbols, const uint32_t *distances) {
    uint32_t length = take_value(c, *entry), code = distances[low_bits(c, DISTANCE_BITS)];
    if (code & SECOND_LEVEL)
        code = second_entry(c, code, distances);
    uint32_t distance = take_value(c, code);
    /* A longer distance would read before the window. */
    if (code & INVALID || distance > (size_t)(c->out - c->begin))
        return 0;
    fill_fast(c);
    *entry = symbols[low_bits(c, SYMBOL_BITS)];
    copy_match(c->out, distance, length);
    c->out += length;
    return 1;
}

/* Decodes whole symbols while neither input nor output can end within one. Returns the next stage, or IN_BLOCK.
   `symbols` may hold several literals in an entry; `second` is the base of its second levels. */
LOCAL_KERNEL(int, run_fast, (symbols, second, distances, caller), const uint32_t *symbols, const uint32_t *second,
             const uint32_t *distances, cursor *caller) {
    cursor c = *caller;
    /* The caller has made sure that both margins are within input and output. */
    const uint8_t *in_stop = c.in_end - INPUT_MARGIN, *out_stop = c.out_end - OUTPUT_MARGIN;
    int stage = IN_BLOCK;
    fill_fast(&c);
    uint32_t entry = symbols[low_bits(&c, SYMBOL_BITS)];
    while (c.in <= in_stop && c.out <= out_stop) {
        fill_fast(&c);
        if (entry & LITERALS) {
            /* Four times the index bits do not exceed the available bits. */
            entry = put_literals(&c, entry, symbols);
            if (entry & LITERALS)
                entry = put_literals(&c, entry, symbols);
            if (entry & LITERALS)
                entry = put_literals(&c, entry, symbols);
            if (entry & LITERALS) {
                entry = put_literals(&c, entry, symbols);
                continue;
            }
            fill_fast(&c);
        }
        if (entry & SECOND_LEVEL) {
            entry = second_entry(&c, entry, second);
            if (entry & LITERALS) {
                entry = put_literals(&c, entry, symbols);
                continue;
            }
        }
        if (entry & (END_OF_BLOCK | INVALID)) {
            drop(&c, entry & 63);
            stage = entry & END_OF_BLOCK ? BLOCK_HEADER : DAMAGED;
            break;
        }
        if (!read_match(&c, &entry, symbols, distances)) {
            stage = DAMAGED;
            break;
        }
    }
    *caller = c;
    return stage;
}

/* Copies a match byte by byte, and stops where the window is full. */
static int copy_rest_of_match(sdpx_inflater *s, cursor *c) {
    while (s->length > 0 && c->out < c->out_end) {
        *c->out = *(c->out - s->distance);
        c->out++;
        s->length--;
    }
    if (s->length > 0)
        return SDPX_INFLATE_IS_FULL;
    s->stage = IN_BLOCK;
    return GO_ON;
}

/* Looks up an entry of the first or second level for the next bits of `bits`; adds the bits of the first level to
   `*used`. */
INLINE uint32_t look_up(const uint32_t *table, uint32_t first_bits, uint64_t bits, uint32_t *used) {
    uint32_t entry = table[bits & ((1u << first_bits) - 1)];
    if (entry & LITERALS || !(entry & SECOND_LEVEL))
        return entry;
    *used += first_bits;
    return table[(entry >> 16) + ((bits >> first_bits) & ((1u << ((entry >> 8) & 15)) - 1))];
}

/* Decodes one symbol, with its distance, if all its bits are available. */
static int read_symbol(sdpx_inflater *s, cursor *c) {
    fill(c);
    uint32_t used = 0, entry = look_up(s->symbols, SYMBOL_BITS, c->bits, &used), start = used;
    used += entry & 63;
    if (used > c->count)
        return SDPX_INFLATE_NEEDS_INPUT;
    if (entry & LITERALS) {
        if (c->out == c->out_end)
            return SDPX_INFLATE_IS_FULL;
        *c->out++ = (uint8_t)(entry >> 8);
        drop(c, used);
        return GO_ON;
    }
    if (entry & NO_VALUE) {
        drop(c, used);
        s->stage = BLOCK_HEADER;
        return entry & END_OF_BLOCK ? GO_ON : fail(s);
    }
    uint32_t length =
        (entry >> 16) + (uint32_t)((c->bits >> start & ((1ull << (entry & 63)) - 1)) >> ((entry >> 8) & 15));
    /* Nothing is taken before the whole symbol and its distance are there. */
    uint32_t skipped = used;
    entry = look_up(s->distances, DISTANCE_BITS, c->bits >> skipped, &used);
    start = used;
    used += entry & 63;
    if (used > c->count)
        return SDPX_INFLATE_NEEDS_INPUT;
    uint32_t distance =
        (entry >> 16) + (uint32_t)((c->bits >> start & ((1ull << (entry & 63)) - 1)) >> ((entry >> 8) & 15));
    if (entry & INVALID || distance > (size_t)(c->out - c->begin))
        return fail(s);
    drop(c, used);
    s->length = length;
    s->distance = distance;
    s->stage = MATCH;
    return GO_ON;
}

/* Decodes as much as the fast loop can, then one symbol. */
static int read_block(sdpx_inflater *s, cursor *c) {
    if (c->in_end - c->in >= INPUT_MARGIN && c->out_end - c->out >= OUTPUT_MARGIN) {
        int stage = run_fast(s->has_pairs ? s->pairs : s->symbols, s->symbols, s->distances, c);
        if (stage == DAMAGED)
            return fail(s);
        if (stage == BLOCK_HEADER) {
            s->stage = BLOCK_HEADER;
            return GO_ON;
        }
    }
    return read_symbol(s, c);
}

/* Runs the part of the current stage. */
static int step(sdpx_inflater *s, cursor *c) {
    switch (s->stage) {
    case STREAM_HEADER: return read_stream_header(s, c);
    case BLOCK_HEADER: return read_block_header(s, c);
    case STORED_LENGTH: return read_stored_length(s, c);
    case STORED: return copy_stored(s, c);
    case CODE_COUNTS: return read_code_counts(s, c);
    case LENGTH_CODE: return read_length_code(s, c);
    case CODE_LENGTHS: return read_code_lengths(s, c);
    case IN_BLOCK: return read_block(s, c);
    case MATCH: return copy_rest_of_match(s, c);
    case ENDED: return SDPX_INFLATE_ENDED;
    default: return SDPX_INFLATE_DAMAGED;
    }
}

int sdpx_inflate(sdpx_inflater *s, const uint8_t **in, const uint8_t *in_end, uint8_t *window, size_t *position,
                 size_t capacity) {
    cursor c = {s->bits, s->bit_count, *in, in_end, window, window + *position, window + capacity};
    int result = GO_ON;
    while (result == GO_ON)
        result = step(s, &c);
    /* Bits above the count are dropped: the next call may pass other input. */
    s->bits = c.count < 64 ? c.bits & ((1ull << c.count) - 1) : c.bits;
    s->bit_count = c.count;
    *in = c.in;
    *position = (size_t)(c.out - window);
    return result;
}

size_t sdpx_inflate_ahead(const sdpx_inflater *s) {
    return s->bit_count / 8;
}
