/* inflate_tables.c: look-up tables for the codes of a block. A table is indexed by the next bits, the first lowest. An
   entry tells at once what the code means and how many bits it takes.

   - A code that is shorter than the index has several entries, one for each value of the bits after it.
   - Codes that are longer share an entry, which refers to a second level for the remaining bits.
   - Entries of literals may hold up to three literals, whose codes fit the index together (make_pairs). */
#include "inflate_tables.h"

#include <stdatomic.h>
#include <string.h>

/* --- Tables (RFC 1951, section 3.2). */

/* Makes the entry of a literal, without the bits of its code. */
static uint32_t literal_entry(uint32_t symbol) {
    return ONE_LITERAL | symbol << 8;
}

/* Entries of length codes 257 to 285: pairs of base and extra bits. */
static uint32_t length_entry(uint32_t symbol) {
    static const uint16_t bases[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                     31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t extras[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                     2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    return symbol < sizeof extras ? (uint32_t)bases[symbol] << 16 | extras[symbol] : INVALID;
}

/* Makes the entry of a symbol: literals, the end of the block, lengths. */
static uint32_t symbol_entry(uint32_t symbol) {
    return symbol < 256 ? literal_entry(symbol) : symbol == 256 ? END_OF_BLOCK : length_entry(symbol - 257);
}

/* Entries of distance codes 0 to 29 (RFC 1951, section 3.2.5): from code 2 on, two codes share a number of extra
   bits. */
static uint32_t distance_entry(uint32_t symbol) {
    if (symbol >= 30)
        return INVALID;
    uint32_t extra = symbol < 2 ? 0 : symbol / 2 - 1;
    uint32_t base = symbol < 2 ? symbol + 1 : ((2 + symbol % 2) << extra) + 1;
    return base << 16 | extra;
}

/* The code of lengths has its symbol as value. */
static uint32_t length_code_entry(uint32_t symbol) {
    return symbol << 16;
}

/* Returns the next code of `length` bits in the order of assignment; the first bit of a code is its lowest here. */
INLINE uint32_t next_code(uint32_t code, uint32_t length) {
    uint32_t zeros = ~code & ((1u << length) - 1);
    if (zeros == 0)
        return 0;
    uint32_t bit = 1u << (31 - __builtin_clz(zeros));
    return (code & (bit - 1)) | bit;
}

/* The codes of an alphabet: the number of codes of each length, and the symbols in the order of their codes. */
typedef struct {
    uint16_t counts[LONGEST_CODE + 1];
    uint16_t sorted[SYMBOLS];
    uint32_t used; /* symbols with a code */
} code_list;

/* Lists the codes of an alphabet. 0 if the lengths are invalid: an oversubscribed code, or an incomplete one. An empty
   code and a single symbol of one bit are valid, because they occur for unused codes. */
static int list_codes(code_list *codes, const uint8_t *lengths, uint32_t n) {
    uint16_t offsets[LONGEST_CODE + 1] = {0};
    memset(codes->counts, 0, sizeof codes->counts);
    for (uint32_t i = 0; i < n; i++)
        codes->counts[lengths[i]]++;
    codes->used = n - codes->counts[0];
    codes->counts[0] = 0;
    /* The codes that are left at each length: negative if there are too many, 0 at the end if the code is complete. */
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

/* Makes the entry of a symbol whose code has `bits` bits. */
INLINE uint32_t coded(uint32_t entry, uint32_t bits) {
    return entry + bits + (entry & LITERALS ? 0 : bits << 8);
}

/* Returns the number of index bits of the second level that begins with a code of `length` bits: enough for all codes
   with the same prefix. `placed`: codes of this length that come before. */
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

/* Adds the codes longer than the first level's index, from `code` on, which belongs to symbol `next`. 0 if they need
   more room. */
static int build_second_levels(uint32_t *table, uint32_t capacity, uint32_t first_bits, const code_list *codes,
                               uint32_t code, uint32_t next, uint32_t (*entry_of)(uint32_t)) {
    uint32_t size = 1u << first_bits, start = 0, bits = 0, prefix = UINT32_MAX;
    for (uint32_t length = first_bits + 1; next < codes->used; length++)
        for (uint32_t i = 0; i < codes->counts[length]; i++) {
            uint32_t own = length - first_bits, first = code & ((1u << first_bits) - 1);
            /* The first code with a new prefix begins a second level. */
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

/* Builds the table of a code from the lengths of its symbols; 0 if they are invalid. */
static int build(uint32_t *table, uint32_t capacity, uint32_t first_bits, const uint8_t *lengths, uint32_t n,
                 uint32_t (*entry_of)(uint32_t)) {
    code_list codes;
    if (!list_codes(&codes, lengths, n))
        return 0;
    /* Grows by doubling: an entry of fewer bits is repeated for each value of the following bits. */
    uint32_t size = 1, code = 0, next = 0;
    /* Codes that are not assigned stay invalid. */
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

/* Combines literals whose codes fit the index together: up to three for each value of it. */
static void make_pairs(struct sdpx_inflater *s) {
    const uint32_t *symbols = s->symbols;
    uint32_t *pairs = s->pairs;
    pairs[0] = symbols[0];
    for (uint32_t i = 0; i < 1u << SYMBOL_BITS; i++) {
        uint32_t first = symbols[i], bits = first & 63, rest = i >> bits, left = SYMBOL_BITS - bits;
        /* The next code is looked up with zeros for the missing bits, and counts only if it does not need them. */
        uint32_t one = symbols[rest], more = pairs[rest], next = 0;
        next = (one & LITERALS) && (one & 63) <= left ? one : 0;
        next = (more & LITERALS) && (more & LITERALS) != LITERALS && (more & 63) <= left ? more : next;
        next = first & LITERALS ? next : 0;
        pairs[i] = first + (next & 0xFF) + ((next & 0xFFFF00) << 8);
    }
}

int sdpx_inflate_build_block(struct sdpx_inflater *s, uint32_t symbols, uint32_t distances) {
    const uint8_t *lengths = s->lengths;
    if (!build(s->symbols, SYMBOL_ENTRIES, SYMBOL_BITS, lengths, symbols, symbol_entry) ||
        !build(s->distances, DISTANCE_ENTRIES, DISTANCE_BITS, lengths + symbols, distances, distance_entry))
        return 0;
    /* The share of literals in the code space, in units of 1 << LONGEST_CODE, estimates their frequency. Among many
       matches pairs are rare, and tables of them cost more than they save. */
    uint32_t share = 0;
    for (uint32_t i = 0; i < 256; i++)
        share += lengths[i] ? 1u << (LONGEST_CODE - lengths[i]) : 0;
    s->has_pairs = share > 3u << (LONGEST_CODE - 2);
    if (s->has_pairs)
        make_pairs(s);
    return 1;
}

/* The tables of the fixed codes (RFC 1951, section 3.2.6), which have no second level. Building them takes most of the
   time of a small image: 93,000 of the 191,000 instructions of a PNG with one pixel. */
static struct {
    uint32_t symbols[1 << SYMBOL_BITS];
    uint32_t pairs[1 << SYMBOL_BITS];
    uint32_t distances[1 << DISTANCE_BITS];
    uint32_t has_pairs;
} fixed;

/* Stays BEING_WRITTEN in the child of a fork during the copy; each inflater then builds its own. */
static atomic_uint fixed_state;
enum { UNKNOWN, BEING_WRITTEN, KNOWN };

/* Keeps the tables of the first inflater that has built them; only one thread writes. */
static void keep_fixed(const struct sdpx_inflater *s) {
    unsigned unknown = UNKNOWN;
    if (!atomic_compare_exchange_strong(&fixed_state, &unknown, BEING_WRITTEN))
        return;
    memcpy(fixed.symbols, s->symbols, sizeof fixed.symbols);
    memcpy(fixed.pairs, s->pairs, sizeof fixed.pairs);
    memcpy(fixed.distances, s->distances, sizeof fixed.distances);
    fixed.has_pairs = s->has_pairs;
    atomic_store_explicit(&fixed_state, KNOWN, memory_order_release);
}

int sdpx_inflate_build_fixed(struct sdpx_inflater *s) {
    if (atomic_load_explicit(&fixed_state, memory_order_acquire) == KNOWN) {
        memcpy(s->symbols, fixed.symbols, sizeof fixed.symbols);
        memcpy(s->pairs, fixed.pairs, sizeof fixed.pairs);
        memcpy(s->distances, fixed.distances, sizeof fixed.distances);
        s->has_pairs = fixed.has_pairs;
        return 1;
    }
    /* The lengths of RFC 1951, section 3.2.6. */
    memset(s->lengths, 8, 144);
    memset(s->lengths + 144, 9, 112);
    memset(s->lengths + 256, 7, 24);
    memset(s->lengths + 280, 8, 8);
    memset(s->lengths + SYMBOLS, 5, DISTANCES);
    if (!sdpx_inflate_build_block(s, SYMBOLS, DISTANCES))
        return 0;
    keep_fixed(s);
    return 1;
}

int sdpx_inflate_build_lengths(struct sdpx_inflater *s, const uint8_t *lengths, uint32_t count) {
    return build(s->length_codes, 1 << LENGTH_BITS, LENGTH_BITS, lengths, count, length_code_entry);
}
