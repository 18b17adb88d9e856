/* hevc_parameters.c: the first fields of a sequence parameter set, for the bytes of its pictures. The coders of HEIC
 * and videos read it before the decoder allocates memory for that size and format. The sections are those of ITU-T
 * H.265. */
#include "hevc_parameters.h"

/* The type of the unit (table 7-1), and the bytes of the header of a unit (7.3.1.2). */
enum { SEQUENCE_PARAMETER_SET = 33, HEADER = 2 };

/* The bits of a unit without emulation prevention bytes (7.3.1.1). */
typedef struct bits {
    sdcs_span span;             /* bytes not yet taken */
    uint32_t byte, left, zeros; /* the current byte, its bits not yet taken, zero bytes before the next one */
    bool is_over;               /* the bits ended early, or a number was too long; results are then meaningless */
} bits;

/* Returns the next bit, and 0 beyond the end. */
static uint32_t take_bit(bits *b) {
    if (!b->left) {
        /* After two zero bytes, 3 is an emulation prevention byte and no data. */
        if (b->zeros >= 2 && b->span.length && b->span.bytes[0] == 3) {
            sdcs_skip(&b->span, 1);
            b->zeros = 0;
        }
        if (!b->span.length) {
            b->is_over = true;
            return 0;
        }
        b->byte = b->span.bytes[0];
        b->zeros = b->byte ? 0 : b->zeros + 1;
        b->left = 8;
        sdcs_skip(&b->span, 1);
    }
    return b->byte >> --b->left & 1;
}

/* Returns up to 32 bits as a number, the first one highest. */
static uint32_t take_bits(bits *b, unsigned count) {
    uint32_t value = 0;
    for (; count > 0; count--)
        value = value << 1 | take_bit(b);
    return value;
}

static void skip_bits(bits *b, unsigned count) {
    for (; count > 0; count--)
        take_bit(b);
}

/* Returns ue(v), 9.2: n zeros, a 1, and n bits, whose value is increased by 2 to the power of n, minus 1. */
static uint32_t take_number(bits *b) {
    unsigned zeros = 0;
    while (!b->is_over && !take_bit(b))
        /* The result would need more than 32 bits. */
        if (++zeros > 31) {
            b->is_over = true;
            return 0;
        }
    return (1u << zeros) - 1 + take_bits(b, zeros);
}

/* Skips profile_tier_level, 7.3.3: 96 bits in general, then flags and a fixed length for each layer that has a profile
 * (88 bits) or a level (8 bits). With layers, the flags are padded to 8 layers. */
static void skip_profiles(bits *b, unsigned layers) {
    unsigned profile = 0, level = 0;
    skip_bits(b, 96);
    for (unsigned i = 0; i < layers; i++) {
        profile |= take_bit(b) << i;
        level |= take_bit(b) << i;
    }
    if (layers)
        skip_bits(b, 2 * (8 - layers));
    for (unsigned i = 0; i < layers; i++)
        skip_bits(b, (profile >> i & 1) * 88 + (level >> i & 1) * 8);
}

bool sdcs_is_hevc_parameters(sdcs_span unit) {
    return unit.length > HEADER && (unit.bytes[0] >> 1 & 63) == SEQUENCE_PARAMETER_SET;
}

bool sdcs_read_hevc_parameters(sdcs_span unit, sdcs_hevc_parameters *parameters) {
    if (!sdcs_skip(&unit, HEADER))
        return false;
    /* Video parameter set, layers minus 1, nesting, profiles, number of this set. */
    bits b = {.span = unit};
    skip_bits(&b, 4);
    unsigned layers = take_bits(&b, 3);
    skip_bits(&b, 1);
    skip_profiles(&b, layers);
    take_number(&b);
    /* The format 4:4:4 has a flag for separately coded planes. */
    parameters->chroma_format = take_number(&b);
    if (parameters->chroma_format == 3)
        skip_bits(&b, 1);
    parameters->width = take_number(&b);
    parameters->height = take_number(&b);
    /* The distances of the displayed part from the edges. */
    for (unsigned edges = take_bit(&b) ? 4 : 0; edges > 0; edges--)
        take_number(&b);
    parameters->depth = 8 + take_number(&b);
    parameters->chroma_depth = 8 + take_number(&b);
    return !b.is_over && parameters->width && parameters->height;
}
