/* jpeg_scan.c: a walk over the blocks of a Huffman-coded JPEG that keeps the DC coefficient, or the lowest
   coefficients, and skips the rest. DCScanDecoder calls it, for a thumbnail at an eighth, a quarter or half of the
   size. Sections and annexes are those of ITU-T T.81 | ISO/IEC 10918-1.

   - Sequential files have all coefficients of a block together. The AC coefficients must be decoded even if they are
     not needed, because only they tell the position of the next block.
   - Progressive files have scans for the DC coefficients alone; other scans are not walked. */
#include "sdpx_jpeg_scan.h"

#include <string.h>

#include "jpeg_symbols.h"
#include "kernel.h"

/* --- Bits. */

/* The input: fields of sdpx_jpeg_scan, copied while it is read. */
typedef struct {
    const uint8_t *next, *end;
    uint64_t window;
    uint32_t count, missing;
} bit_reader;

/* Fills byte by byte, with zeros from a marker on. 0xFF is data if 0 follows, which is dropped (F.1.2.3); otherwise it
   begins a marker. */
static __attribute__((noinline)) void fill_slowly(bit_reader *bits) {
    while (bits->count < 56) {
        uint64_t byte = 0;
        if (bits->next < bits->end && *bits->next != 0xFF) {
            byte = *bits->next++;
        } else if (bits->end - bits->next >= 2 && bits->next[1] == 0) {
            byte = 0xFF;
            bits->next += 2;
        } else {
            /* Zeros are delivered in place of missing data. Whether they were used is checked after each MCU. */
            bits->missing += 8;
        }
        bits->window |= byte << (56 - bits->count);
        bits->count += 8;
    }
}

/* Loads eight bytes, the first highest. */
INLINE uint64_t load_big_endian(const uint8_t *from) {
    uint64_t v;
    memcpy(&v, from, sizeof v);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

/* Reports that one of eight bytes is 0xFF: only then ~v has a zero byte, from which the subtraction borrows. */
INLINE int has_ff(uint64_t v) {
    return ((~v - 0x0101010101010101u) & v & 0x8080808080808080u) != 0;
}

/* Fills to 56 to 63 bits. Below them the window may hold bits of the next byte, which is later ORed with the same
   value. */
INLINE void fill(bit_reader *bits) {
    if (LIKELY(bits->end - bits->next >= 8)) {
        uint64_t v = load_big_endian(bits->next);
        if (LIKELY(!has_ff(v))) {
            bits->window |= v >> bits->count;
            bits->next += (63 - bits->count) >> 3;
            bits->count |= 56;
            return;
        }
    }
    fill_slowly(bits);
}

/* Takes `n` bits. */
INLINE void drop(bit_reader *bits, uint32_t n) {
    bits->window <<= n & 63;
    bits->count -= n;
}

/* Finds a code that is longer than the index of the table, by its length; 0 if there is none. `bits16` are the next 16
   bits. */
static uint16_t find_symbol(const sdpx_jpeg_huffman *table, uint32_t bits16) {
    for (uint32_t length = SDPX_JPEG_SYMBOL_BITS + 1; length <= 16; length++) {
        if (bits16 < table->limits[length]) {
            uint32_t value = table->values[(table->offsets[length] + (bits16 >> (16 - length))) & 255];
            return SYMBOL(length + (value & 15), value & 15, value >> 4);
        }
    }
    return 0;
}

/* Returns the next symbol; 0 if there is no such code. */
INLINE uint16_t peek_symbol(const bit_reader *bits, const sdpx_jpeg_huffman *table) {
    uint16_t symbol = table->symbols[bits->window >> (64 - SDPX_JPEG_SYMBOL_BITS)];
    return LIKELY(symbol) ? symbol : find_symbol(table, (uint32_t)(bits->window >> 48));
}

/* Returns the number after the code of the next symbol; one with a leading 0 is negative (F.2.2.1). */
INLINE int32_t number_after(const bit_reader *bits, uint16_t symbol) {
    uint32_t size = SYMBOL_SIZE(symbol);
    uint64_t window = bits->window << (SYMBOL_BITS(symbol) - size);
    uint32_t is_negative = (uint32_t)(~window >> 63);
    return (int32_t)((uint32_t)(window >> 1 >> (63 - size)) - (is_negative << size) + is_negative);
}

/* --- Blocks. */

/* Reads a DC coefficient; 0 if the code is invalid. The window is full before, and has 25 bits after. */
INLINE int read_mean(bit_reader *bits, sdpx_jpeg_component *component) {
    uint16_t symbol = peek_symbol(bits, component->dc);
    if (UNLIKELY(!symbol))
        return 0;
    component->mean = (int32_t)((uint32_t)component->mean + (uint32_t)number_after(bits, symbol));
    drop(bits, SYMBOL_BITS(symbol));
    return 1;
}

/* Skips one symbol. Returns the position after it, BLOCK or more at the end of the block, 0 for an invalid code. */
static __attribute__((noinline)) uint32_t pass_symbol(bit_reader *bits, const sdpx_jpeg_huffman *table,
                                                      uint32_t position) {
    fill(bits);
    uint16_t symbol = peek_symbol(bits, table);
    if (!symbol)
        return 0;
    drop(bits, SYMBOL_BITS(symbol));
    uint32_t run = SYMBOL_RUN(symbol);
    return ends_block(SYMBOL_SIZE(symbol), run) ? BLOCK : position + run + 1;
}

/* Skips the rest of a block, from a position on. */
INLINE int pass_block(bit_reader *bits, const sdpx_jpeg_huffman *table, uint32_t position) {
    for (;;) {
        uint32_t step = 0, after = 0;
        fill(bits);
        for (int i = 0; i < 3; i++) {
            step = table->steps[bits->window >> (64 - SDPX_JPEG_STEP_BITS)];
            after = position + STEP_ADVANCE(step);
            if (after >= BLOCK)
                break;
            drop(bits, STEP_BITS(step));
            position = after;
        }
        if (after < BLOCK)
            continue;
        if (LIKELY(after == BLOCK || after - BLOCK_END < BLOCK)) {
            drop(bits, STEP_BITS(step));
            return 1;
        }
        /* The code is long, or some symbols of the step belong to the next block. */
        position = pass_symbol(bits, table, position);
        if (position == 0 || position >= BLOCK)
            return position != 0;
    }
}

/* Reads the lowest coefficients of a block, weighted, and skips the others. */
INLINE int read_low(bit_reader *bits, const sdpx_jpeg_component *component, uint32_t limit, float *low) {
    const float *weights = component->weights;
    uint32_t position = 1;
    low[0] = (float)component->mean * weights[0];
    while (position < limit) {
        fill(bits);
        uint16_t symbol = peek_symbol(bits, component->ac);
        if (UNLIKELY(!symbol))
            return 0;
        uint32_t size = SYMBOL_SIZE(symbol), run = SYMBOL_RUN(symbol);
        /* Coefficients of a run are 0. */
        position += run;
        if (size > 0 && position < limit)
            low[position] = (float)number_after(bits, symbol) * weights[position];
        drop(bits, SYMBOL_BITS(symbol));
        if (ends_block(size, run))
            return 1;
        position++;
    }
    return position >= BLOCK || pass_block(bits, component->ac, position);
}

/* Rounds half away from zero. Clamps first: a sum of differences times a quantization step may exceed 32 bits. */
INLINE int16_t round_sample(float v) {
    v = v < -INT16_MAX ? -INT16_MAX : v > INT16_MAX ? INT16_MAX : v;
    return (int16_t)(int32_t)(v < 0 ? v - 0.5f : v + 0.5f);
}

/* Reads a block as 2 x 2 means, from the lowest coefficients in both directions. */
INLINE int read_two_by_two(bit_reader *bits, const sdpx_jpeg_component *component, int16_t *to) {
    float low[5] = {0};
    if (!read_low(bits, component, 5, low))
        return 0;
    int16_t *below = to + component->stride;
    float upper = low[0] + low[2], lower = low[0] - low[2];
    to[0] = round_sample(upper + low[1] + low[4]);
    to[1] = round_sample(upper - low[1] - low[4]);
    below[0] = round_sample(lower + low[1] - low[4]);
    below[1] = round_sample(lower - low[1] + low[4]);
    return 1;
}

typedef float float4 __attribute__((vector_size(16)));

/* Inverse cosine transform of the four lowest coefficients to four samples, in each lane. */
INLINE void transform(float4 v[4]) {
    const float cosine1 = 0.92387953f, cosine2 = 0.70710678f, cosine3 = 0.38268343f;
    float4 outer = v[0] + cosine2 * v[2], inner = v[0] - cosine2 * v[2];
    float4 steep = cosine1 * v[1] + cosine3 * v[3], flat = cosine3 * v[1] - cosine1 * v[3];
    v[0] = outer + steep;
    v[1] = inner + flat;
    v[2] = inner - flat;
    v[3] = outer - steep;
}

/* Reads a block as 4 x 4 means, by an inverse cosine transform of its 4 x 4 lowest coefficients. */
INLINE int read_four_by_four(bit_reader *bits, const sdpx_jpeg_component *component, int16_t *to) {
    float c[SDPX_JPEG_LOW] = {0};
    if (!read_low(bits, component, SDPX_JPEG_LOW, c))
        return 0;
    float4 v[4] = {
        {c[0], c[1], c[5], c[6]}, {c[2], c[4], c[7], c[13]}, {c[3], c[8], c[12], c[17]}, {c[9], c[11], c[18], c[24]}};
    /* Vertically, then on the transposed values horizontally. */
    transform(v);
    float4 t[4];
    for (int i = 0; i < 4; i++)
        t[i] = (float4){v[0][i], v[1][i], v[2][i], v[3][i]};
    transform(t);
    for (int y = 0; y < 4; y++, to += component->stride)
        for (int x = 0; x < 4; x++)
            to[x] = round_sample(t[x][y]);
    return 1;
}

/* Reads a block of a sequential scan into `to`; 0 if it is damaged. */
INLINE int read_block(bit_reader *bits, sdpx_jpeg_component *component, int16_t *to) {
    if (UNLIKELY(!read_mean(bits, component)))
        return 0;
    switch (component->detail) {
    case 2: return read_two_by_two(bits, component, to);
    case 4: return read_four_by_four(bits, component, to);
    default: *to = (int16_t)component->mean; return pass_block(bits, component->ac, 1);
    }
}

/* Reads the part of a block that its kind of scan has. */
INLINE int read_some(bit_reader *bits, const sdpx_jpeg_scan *scan, sdpx_jpeg_component *component, sdpx_jpeg_kind kind,
                     int16_t *to) {
    fill(bits);
    if (kind == SDPX_JPEG_SEQUENTIAL)
        return read_block(bits, component, to);
    /* The first scan has the upper bits of the coefficient, further scans one bit each. */
    if (kind == SDPX_JPEG_FIRST_MEANS) {
        if (UNLIKELY(!read_mean(bits, component)))
            return 0;
        *to = (int16_t)((uint32_t)component->mean << scan->low_bit);
        return 1;
    }
    *to = (int16_t)(*to | (int32_t)(bits->window >> 63 << scan->low_bit));
    drop(bits, 1);
    return 1;
}

/* --- Scans. */

/* Handles the end of a restart interval: the rest of the last byte is padding, and the expected marker must follow. */
static int pass_restart(sdpx_jpeg_scan *scan, bit_reader *bits) {
    if (bits->count - bits->missing >= 8 || bits->end - bits->next < 2 || bits->next[0] != 0xFF ||
        bits->next[1] != 0xD0 + scan->restart)
        return 0;
    bits->next += 2;
    bits->window = 0;
    bits->count = bits->missing = 0;
    scan->restart = (scan->restart + 1) & 7;
    scan->until_restart = scan->restart_interval;
    for (uint32_t i = 0; i < scan->component_count; i++)
        scan->components[i].mean = 0;
    return 1;
}

/* Reads the blocks of a component in one MCU. */
INLINE int walk_component(const sdpx_jpeg_scan *scan, bit_reader *bits, sdpx_jpeg_component *component,
                          sdpx_jpeg_kind kind, uint32_t row, uint32_t column) {
    uint32_t detail = component->detail;
    int16_t *to = component->samples + (size_t)row * component->down * detail * component->stride +
                  (size_t)column * component->across * detail;
    for (uint32_t y = 0; y < component->down; y++, to += detail * component->stride)
        for (uint32_t x = 0; x < component->across; x++)
            if (UNLIKELY(!read_some(bits, scan, component, kind, to + x * detail)))
                return 0;
    return 1;
}

/* Reads MCUs; 0 at the first one that is damaged or incomplete. `kind` is a compile-time constant. */
INLINE int walk(sdpx_jpeg_scan *scan, bit_reader *bits, uint32_t mcus, sdpx_jpeg_kind kind) {
    uint32_t row = scan->mcu / scan->mcus_across, column = scan->mcu % scan->mcus_across;
    for (; mcus > 0; mcus--, scan->mcu++) {
        if (scan->restart_interval > 0 && scan->until_restart == 0 && !pass_restart(scan, bits))
            return 0;
        scan->until_restart--;
        for (uint32_t i = 0; i < scan->component_count; i++)
            if (UNLIKELY(!walk_component(scan, bits, &scan->components[i], kind, row, column)))
                return 0;
        /* Bits that replace missing data were used. */
        if (UNLIKELY(bits->count < bits->missing))
            return 0;
        if (++column == scan->mcus_across) {
            column = 0;
            row++;
        }
    }
    return 1;
}

KERNEL(int, sdpx_jpeg_walk, (scan, mcus), sdpx_jpeg_scan *scan, uint32_t mcus) {
    bit_reader bits = {scan->next, scan->end, scan->window, scan->count, scan->missing};
    int is_whole = 0;
    switch (scan->kind) {
    case SDPX_JPEG_SEQUENTIAL: is_whole = walk(scan, &bits, mcus, SDPX_JPEG_SEQUENTIAL); break;
    case SDPX_JPEG_FIRST_MEANS: is_whole = walk(scan, &bits, mcus, SDPX_JPEG_FIRST_MEANS); break;
    case SDPX_JPEG_NEXT_MEANS: is_whole = walk(scan, &bits, mcus, SDPX_JPEG_NEXT_MEANS); break;
    }
    scan->next = bits.next;
    scan->window = bits.window;
    scan->count = bits.count;
    scan->missing = bits.missing;
    return is_whole;
}

/* --- Markers. */

enum { FIRST_RESTART = 0xD0, RESTARTS = 8 };

/* Reports one of the markers RST0 to RST7. */
INLINE int is_restart(uint8_t marker) {
    return (uint8_t)(marker - FIRST_RESTART) < RESTARTS;
}

const uint8_t *sdpx_jpeg_next_marker(const uint8_t *from, const uint8_t *end) {
    while (end - from >= 2 && (from = memchr(from, 0xFF, (size_t)(end - from - 1))) != NULL) {
        /* 0xFF may be repeated before a marker (B.1.1.2). */
        if (from[1] != 0 && from[1] != 0xFF && !is_restart(from[1]))
            return from;
        from++;
    }
    return end;
}

const uint8_t *sdpx_jpeg_after_restart(const uint8_t *from, const uint8_t *end, uint32_t number) {
    for (uint32_t next = 0; end - from >= 2 && (from = memchr(from, 0xFF, (size_t)(end - from - 1))) != NULL; from++) {
        if (from[1] == 0)
            continue;
        if (from[1] != FIRST_RESTART + next % RESTARTS)
            return NULL;
        if (next++ == number)
            return from + 2;
    }
    return NULL;
}
