#include "sdpx_inflate.h"

#include <string.h>

#include "clones.h"

#define INLINE static inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)

/* Bits that index the first level of a table; longer codes go on in a second one. */
enum { SYMBOL_BITS = 11, DISTANCE_BITS = 9, LENGTH_BITS = 7 };
/* Second levels need less than this: at most 2,342 entries in all for 288 codes, and 594 for 32, by exhaustive search. */
enum { SYMBOL_ENTRIES = 2400, DISTANCE_ENTRIES = 640 };
enum { SYMBOLS = 288, DISTANCES = 32, LONGEST_CODE = 15, LONGEST_MATCH = 258 };
/* What one turn of the fast loop may read and write, each with room for whole words. */
enum { INPUT_MARGIN = 32, OUTPUT_MARGIN = LONGEST_MATCH + 96 };

/* Table entries. Bits 0-5: bits to drop, a length's extra bits included. Bits 6-7: how many literals follow in bits 8-31,
   the first lowest. Without literals: bits 8-11 the code alone, or the bits that index a second level; bits 13-15 one of
   the kinds below, or none for a length or distance; bits 16-31 the base value, or where the second level lies. */
enum { SECOND_LEVEL = 1 << 13, END_OF_BLOCK = 1 << 14, INVALID = 1 << 15, NO_VALUE = SECOND_LEVEL | END_OF_BLOCK | INVALID };
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

/* The state of one call, held in registers. */
typedef struct {
    uint64_t bits;
    uint32_t count;
    const uint8_t *in, *in_end;
    uint8_t *begin, *out, *out_end;
} cursor;

size_t sdpx_inflater_size(void) { return sizeof(sdpx_inflater); }

void sdpx_inflate_start(sdpx_inflater *s) {
    s->bits = 0;
    s->bit_count = 0;
    s->stage = STREAM_HEADER;
    s->is_last_block = 0;
}

INLINE uint64_t load64(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

/* At least 56 bits afterwards. Those above `count` are the next ones too: to read them again changes nothing. */
INLINE void fill_fast(cursor *c) {
    c->bits |= load64(c->in) << c->count;
    c->in += (63 - c->count) >> 3;
    c->count |= 56;
}

/* At least 56 bits, or all that there are. */
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

INLINE uint32_t low_bits(const cursor *c, uint32_t n) { return (uint32_t)(c->bits & ((1ull << n) - 1)); }

INLINE void drop(cursor *c, uint32_t n) {
    c->bits >>= n;
    c->count -= n;
}

/* --- Tables (RFC 1951, section 3.2). */

static uint32_t literal_entry(uint32_t symbol) { return ONE_LITERAL | symbol << 8; }

/* Length codes 257 to 285: pairs of base and extra bits. */
static uint32_t length_entry(uint32_t symbol) {
    static const uint16_t bases[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                     31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t extras[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    return symbol < sizeof extras ? (uint32_t)bases[symbol] << 16 | extras[symbol] : INVALID;
}

static uint32_t symbol_entry(uint32_t symbol) {
    return symbol < 256 ? literal_entry(symbol) : symbol == 256 ? END_OF_BLOCK : length_entry(symbol - 257);
}

static uint32_t distance_entry(uint32_t symbol) {
    if (symbol >= 30)
        return INVALID;
    uint32_t extra = symbol < 2 ? 0 : symbol / 2 - 1;
    uint32_t base = symbol < 2 ? symbol + 1 : ((2 + symbol % 2) << extra) + 1;
    return base << 16 | extra;
}

static uint32_t length_code_entry(uint32_t symbol) { return symbol << 16; }

/* The next code of `length` bits, in the order in which codes are assigned; their first bit is the lowest here. */
INLINE uint32_t next_code(uint32_t code, uint32_t length) {
    uint32_t zeros = ~code & ((1u << length) - 1);
    if (zeros == 0)
        return 0;
    uint32_t bit = 1u << (31 - __builtin_clz(zeros));
    return (code & (bit - 1)) | bit;
}

/* The codes of an alphabet: how many of each length, and the symbols in the order of their codes. */
typedef struct {
    uint16_t counts[LONGEST_CODE + 1];
    uint16_t sorted[SYMBOLS];
    uint32_t used;
} code_list;

/* 0 when the lengths make no code: too many short ones, or too few, but for no symbol at all or a single one of one bit,
   which may be left over of a code that is not used. */
static int list_codes(code_list *codes, const uint8_t *lengths, uint32_t n) {
    uint16_t offsets[LONGEST_CODE + 1] = {0};
    memset(codes->counts, 0, sizeof codes->counts);
    for (uint32_t i = 0; i < n; i++)
        codes->counts[lengths[i]]++;
    codes->used = n - codes->counts[0];
    codes->counts[0] = 0;
    int32_t left = 1;
    for (uint32_t length = 1; length <= LONGEST_CODE; length++) {
        offsets[length] = offsets[length - 1] + codes->counts[length - 1];
        left = (left << 1) - codes->counts[length];
        if (left < 0)
            return 0;
    }
    if (left > 0 && (codes->used > 1 || codes->used != codes->counts[1]))
        return 0;
    for (uint32_t i = 0; i < n; i++)
        if (lengths[i])
            codes->sorted[offsets[lengths[i]]++] = (uint16_t)i;
    return 1;
}

/* The value of a symbol as an entry whose code has `bits` bits. */
INLINE uint32_t coded(uint32_t entry, uint32_t bits) { return entry + bits + (entry & LITERALS ? 0 : bits << 8); }

/* How many index bits the second level needs that begins with a code of `length` bits: enough for all that begin as it
   does. `placed`: codes of this length that come before. */
static uint32_t second_bits(const uint16_t *counts, uint32_t length, uint32_t placed, uint32_t first_bits) {
    uint32_t bits = length - first_bits;
    int32_t free_codes = (1 << bits) - counts[length] + (int32_t)placed;
    while (free_codes > 0 && length < LONGEST_CODE) {
        length++;
        bits++;
        free_codes = (free_codes << 1) - counts[length];
    }
    return bits;
}

/* Codes longer than the first level's index, from `code` on, the `next`th symbol's. 0 when they need more room. */
static int build_second_levels(uint32_t *table, uint32_t capacity, uint32_t first_bits, const code_list *codes,
                               uint32_t code, uint32_t next, uint32_t (*entry_of)(uint32_t)) {
    uint32_t size = 1u << first_bits, start = 0, bits = 0, prefix = UINT32_MAX;
    for (uint32_t length = first_bits + 1; next < codes->used; length++)
        for (uint32_t i = 0; i < codes->counts[length]; i++) {
            uint32_t own = length - first_bits, first = code & ((1u << first_bits) - 1);
            if (first != prefix) {
                prefix = first;
                start = size;
                bits = second_bits(codes->counts, length, i, first_bits);
                size += 1u << bits;
                if (size > capacity)
                    return 0;
                table[prefix] = SECOND_LEVEL | start << 16 | bits << 8 | first_bits;
            }
            uint32_t entry = coded(entry_of(codes->sorted[next++]), own);
            for (uint32_t at = code >> first_bits; at < 1u << bits; at += 1u << own)
                table[start + at] = entry;
            code = next_code(code, length);
        }
    return 1;
}

/* Builds the table of a code from the lengths of its symbols; 0 when they make none. */
static int build(uint32_t *table, uint32_t capacity, uint32_t first_bits, const uint8_t *lengths, uint32_t n,
                 uint32_t (*entry_of)(uint32_t)) {
    code_list codes;
    if (!list_codes(&codes, lengths, n))
        return 0;
    /* Grows by doubling: an entry of fewer bits appears once for each value of the bits behind it. */
    uint32_t size = 1, code = 0, next = 0;
    table[0] = INVALID | 1;
    for (uint32_t length = 1; length <= first_bits; length++) {
        memcpy(table + size, table, size * sizeof *table);
        size *= 2;
        for (uint32_t i = 0; i < codes.counts[length]; i++) {
            table[code] = coded(entry_of(codes.sorted[next++]), length);
            code = next_code(code, length);
        }
    }
    return build_second_levels(table, capacity, first_bits, &codes, code, next, entry_of);
}

/* Literals whose codes fit together into the index are looked up together: up to three for each value of it. */
static void make_pairs(sdpx_inflater *s) {
    const uint32_t *symbols = s->symbols;
    uint32_t *pairs = s->pairs;
    pairs[0] = symbols[0];
    for (uint32_t i = 0; i < 1u << SYMBOL_BITS; i++) {
        uint32_t first = symbols[i], bits = first & 63, rest = i >> bits, left = SYMBOL_BITS - bits;
        /* What follows is looked up with zeros for the bits that are not there, and counts only where it needs none. */
        uint32_t one = symbols[rest], more = pairs[rest], next = 0;
        next = (one & LITERALS) && (one & 63) <= left ? one : 0;
        next = (more & LITERALS) && (more & LITERALS) != LITERALS && (more & 63) <= left ? more : next;
        next = first & LITERALS ? next : 0;
        pairs[i] = first + (next & 0xFF) + ((next & 0xFFFF00) << 8);
    }
}

static int build_block_tables(sdpx_inflater *s, const uint8_t *lengths, uint32_t symbols, uint32_t distances) {
    if (!build(s->symbols, SYMBOL_ENTRIES, SYMBOL_BITS, lengths, symbols, symbol_entry) ||
        !build(s->distances, DISTANCE_ENTRIES, DISTANCE_BITS, lengths + symbols, distances, distance_entry))
        return 0;
    /* How much of the code is literals, in parts of 1 << LONGEST_CODE: as often they come. Among many matches pairs are rare,
       and tables of them cost more than they save. */
    uint32_t share = 0;
    for (uint32_t i = 0; i < 256; i++)
        share += lengths[i] ? 1u << (LONGEST_CODE - lengths[i]) : 0;
    s->has_pairs = share > 3u << (LONGEST_CODE - 2);
    if (s->has_pairs)
        make_pairs(s);
    return 1;
}

static int build_fixed_tables(sdpx_inflater *s) {
    memset(s->lengths, 8, 144);
    memset(s->lengths + 144, 9, 112);
    memset(s->lengths + 256, 7, 24);
    memset(s->lengths + 280, 8, 8);
    memset(s->lengths + SYMBOLS, 5, DISTANCES);
    return build_block_tables(s, s->lengths, SYMBOLS, DISTANCES);
}

/* --- The parts of a stream. Each returns a result to give back, or GO_ON. */

enum { GO_ON = -1 };

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
    if ((method << 8 | flags) % 31 != 0 || (method & 15) != 8 || method >> 4 > 7 || flags & 32)
        return fail(s);
    drop(c, 16);
    s->stage = BLOCK_HEADER;
    return GO_ON;
}

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
        drop(c, c->count & 7);
    if (type == 1 && !build_fixed_tables(s))
        return fail(s);
    s->stage = type == 0 ? STORED_LENGTH : type == 1 ? IN_BLOCK : CODE_COUNTS;
    return GO_ON;
}

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

static int copy_stored(sdpx_inflater *s, cursor *c) {
    while (s->length > 0 && c->count > 0 && c->out < c->out_end) {
        *c->out++ = (uint8_t)low_bits(c, 8);
        drop(c, 8);
        s->length--;
    }
    if (c->count == 0) {
        /* What lies above the count was read too early. */
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

static int read_length_code(sdpx_inflater *s, cursor *c) {
    static const uint8_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    for (; s->index < s->length_count; s->index++) {
        fill(c);
        if (c->count < 3)
            return SDPX_INFLATE_NEEDS_INPUT;
        s->lengths[order[s->index]] = (uint8_t)low_bits(c, 3);
        drop(c, 3);
    }
    uint8_t lengths[19];
    uint32_t used = 0;
    memcpy(lengths, s->lengths, sizeof lengths);
    for (uint32_t i = 0; i < sizeof lengths; i++)
        used += lengths[i] != 0;
    /* Unlike the other two this code must be complete: a single symbol is not. */
    if (used < 2 || !build(s->length_codes, 1 << LENGTH_BITS, LENGTH_BITS, lengths, sizeof lengths, length_code_entry))
        return fail(s);
    memset(s->lengths, 0, sizeof lengths);
    s->index = 0;
    s->stage = CODE_LENGTHS;
    return GO_ON;
}

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
        uint32_t repeat = (low_bits(c, bits + extra) >> bits) + (symbol == 18 ? 11 : 3);
        if (repeat > total - s->index || (symbol == 16 && s->index == 0))
            return fail(s);
        memset(s->lengths + s->index, symbol == 16 ? s->lengths[s->index - 1] : 0, repeat);
        s->index += repeat;
        drop(c, bits + extra);
    }
    if (s->lengths[256] == 0 || !build_block_tables(s, s->lengths, s->symbol_count, s->distance_count))
        return fail(s);
    s->stage = IN_BLOCK;
    return GO_ON;
}

/* Writes up to 63 bytes beyond the match. */
INLINE void copy_match(uint8_t *out, size_t distance, size_t length) {
    const uint8_t *from = out - distance;
    uint8_t *end = out + length;
    if (distance < 16) {
        /* After 16 bytes the pattern may as well be taken from a few periods before. */
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

/* Writes the literals of an entry, and looks up the next. */
INLINE uint32_t put_literals(cursor *c, uint32_t entry, const uint32_t *symbols) {
    uint32_t literals = entry >> 8;
    memcpy(c->out, &literals, 4);
    c->out += (entry >> 6) & 3;
    drop(c, entry & 63);
    return symbols[low_bits(c, SYMBOL_BITS)];
}

/* The value of a length or distance, its extra bits added. */
INLINE uint32_t take_value(cursor *c, uint32_t entry) {
    uint32_t value = (entry >> 16) + (low_bits(c, entry & 63) >> ((entry >> 8) & 15));
    drop(c, entry & 63);
    return value;
}

INLINE uint32_t second_entry(cursor *c, uint32_t entry, const uint32_t *table) {
    drop(c, entry & 63);
    return table[(entry >> 16) + low_bits(c, (entry >> 8) & 15)];
}

/* Reads the distance that belongs to a length, and copies. 0 when it leads nowhere. `*entry` becomes the next symbol's:
   looked up before the copy, to be there after it. */
INLINE int read_match(cursor *c, uint32_t *entry, const uint32_t *symbols, const uint32_t *distances) {
    uint32_t length = take_value(c, *entry), code = distances[low_bits(c, DISTANCE_BITS)];
    if (code & SECOND_LEVEL)
        code = second_entry(c, code, distances);
    uint32_t distance = take_value(c, code);
    if (code & INVALID || distance > (size_t)(c->out - c->begin))
        return 0;
    fill_fast(c);
    *entry = symbols[low_bits(c, SYMBOL_BITS)];
    copy_match(c->out, distance, length);
    c->out += length;
    return 1;
}

/* Whole symbols, as long as neither input nor output can end in the middle of one. Returns the stage that follows, or
   IN_BLOCK. `symbols` may hold several literals in an entry; `second` is where its second levels lie. */
SDPX_CLONES static int run_fast(const uint32_t *symbols, const uint32_t *second, const uint32_t *distances, cursor *caller) {
    cursor c = *caller;
    const uint8_t *in_stop = c.in_end - INPUT_MARGIN, *out_stop = c.out_end - OUTPUT_MARGIN;
    int stage = IN_BLOCK;
    fill_fast(&c);
    uint32_t entry = symbols[low_bits(&c, SYMBOL_BITS)];
    while (c.in <= in_stop && c.out <= out_stop) {
        fill_fast(&c);
        if (entry & LITERALS) {
            /* Four times the index are no more bits than there are. */
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

/* An entry of the first or second level for the next bits of `bits`; `*used` grows by those of the first. */
INLINE uint32_t look_up(const uint32_t *table, uint32_t first_bits, uint64_t bits, uint32_t *used) {
    uint32_t entry = table[bits & ((1u << first_bits) - 1)];
    if (entry & LITERALS || !(entry & SECOND_LEVEL))
        return entry;
    *used += first_bits;
    return table[(entry >> 16) + ((bits >> first_bits) & ((1u << ((entry >> 8) & 15)) - 1))];
}

/* One symbol, with the distance that belongs to it, if all its bits are there. */
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
    uint32_t length = (entry >> 16) + (uint32_t)((c->bits >> start & ((1ull << (entry & 63)) - 1)) >> ((entry >> 8) & 15));
    uint32_t skipped = used;
    entry = look_up(s->distances, DISTANCE_BITS, c->bits >> skipped, &used);
    start = used;
    used += entry & 63;
    if (used > c->count)
        return SDPX_INFLATE_NEEDS_INPUT;
    uint32_t distance = (entry >> 16) + (uint32_t)((c->bits >> start & ((1ull << (entry & 63)) - 1)) >> ((entry >> 8) & 15));
    if (entry & INVALID || distance > (size_t)(c->out - c->begin))
        return fail(s);
    drop(c, used);
    s->length = length;
    s->distance = distance;
    s->stage = MATCH;
    return GO_ON;
}

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
    s->bits = c.count < 64 ? c.bits & ((1ull << c.count) - 1) : c.bits;
    s->bit_count = c.count;
    *in = c.in;
    *position = (size_t)(c.out - window);
    return result;
}
