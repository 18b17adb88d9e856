/* av1_stream.c: the units (OBU) of an AV1 stream. The coders of AVIF and videos read them before the decoder allocates
 * pictures: the stream decides on their format, whatever the container announces. The sections are those of the AV1
 * Bitstream & Decoding Process Specification. */
#include "av1_stream.h"

/* Types of units, 6.2.2. A redundant header is read as the first one if that is missing. */
enum { SEQUENCE_HEADER = 1, FRAME_HEADER = 3, FRAME = 6, REDUNDANT_FRAME_HEADER = 7 };

/* The bits of a unit. */
typedef struct bits {
    sdcs_span span;
    size_t next;
    bool is_over; /* the bits ended early, or a number was too long; results are then meaningless */
} bits;

/* Returns the next bit, and 0 beyond the end. */
static uint32_t take_bit(bits *b) {
    if (b->next / 8 >= b->span.length) {
        b->is_over = true;
        return 0;
    }
    size_t at = b->next++;
    return b->span.bytes[at / 8] >> (7 - at % 8) & 1;
}

/* Returns up to 32 bits as a number, the first one highest. */
static uint32_t take_bits(bits *b, unsigned count) {
    uint32_t value = 0;
    for (; count > 0; count--)
        value = value << 1 | take_bit(b);
    return value;
}

/* uvlc(), 4.10.3: n zeros, a 1, and n bits. */
static void skip_number(bits *b) {
    unsigned zeros = 0;
    while (!b->is_over && !take_bit(b))
        if (++zeros > 31)
            b->is_over = true;
    take_bits(b, b->is_over ? 0 : zeros);
}

/* The part of sequence_header_obu(), 5.5.1, that only a complete header has before the size: timing_info(),
 * decoder_model_info(), and the operating points. */
static void skip_operation(bits *b) {
    bool has_model = false;
    unsigned delay = 0;
    if (take_bit(b)) {
        take_bits(b, 32), take_bits(b, 32);
        if (take_bit(b))
            skip_number(b);
        has_model = take_bit(b);
    }
    if (has_model) {
        delay = take_bits(b, 5) + 1;
        take_bits(b, 32), take_bits(b, 10);
    }
    bool has_display_delay = take_bit(b);
    for (unsigned points = take_bits(b, 5) + 1; points > 0; points--) {
        take_bits(b, 12);
        if (take_bits(b, 5) > 7)
            take_bit(b);
        if (has_model && take_bit(b))
            take_bits(b, delay), take_bits(b, delay), take_bit(b);
        if (has_display_delay && take_bit(b))
            take_bits(b, 4);
    }
}

/* The part of 5.5.1 that only a complete header has after the size: tools that refer to other frames. */
static void skip_tools(bits *b) {
    take_bits(b, 4);
    bool has_order = take_bit(b);
    if (has_order)
        take_bits(b, 2);
    /* Screen content tools and integer motion vectors: chosen by each frame, or fixed. */
    bool has_screen_tools = take_bit(b) || take_bit(b);
    if (has_screen_tools && !take_bit(b))
        take_bit(b);
    if (has_order)
        take_bits(b, 3);
}

/* color_config(), 5.5.2. */
static void read_colors(bits *b, uint32_t profile, sdcs_av1_stream *stream) {
    enum { BT709_SRGB_IDENTITY = 1 << 16 | 13 << 8 };
    stream->bits = take_bit(b) ? 10 : 8;
    if (profile == 2 && stream->bits == 10 && take_bit(b))
        stream->bits = 12;
    bool is_gray = profile != 1 && take_bit(b);
    uint32_t codes = take_bit(b) ? take_bits(b, 24) : 0;
    stream->chroma = is_gray ? 0 : 8;
    /* sRGB has neither a range nor halved planes. */
    if (is_gray || codes != BT709_SRGB_IDENTITY)
        take_bit(b);
    if (!is_gray && codes != BT709_SRGB_IDENTITY) {
        bool has_choice = profile == 2 && stream->bits == 12;
        bool is_narrow = has_choice ? take_bit(b) : profile != 1;
        bool is_low = is_narrow && (has_choice ? take_bit(b) : profile == 0);
        stream->chroma = is_low ? 2 : is_narrow ? 4 : 8;
        /* The position of the samples. */
        if (is_low)
            take_bits(b, 2);
    }
    /* Separate quantizers. */
    if (!is_gray)
        take_bit(b);
}

/* sequence_header_obu(), 5.5.1; false for a header that ends early. */
static bool read_sequence(sdcs_span unit, sdcs_av1_stream *stream) {
    bits b = {.span = unit};
    uint32_t profile = take_bits(&b, 3);
    take_bit(&b);
    bool is_reduced = take_bit(&b);
    if (is_reduced)
        take_bits(&b, 5);
    else
        skip_operation(&b);
    uint32_t width_bits = take_bits(&b, 4) + 1, height_bits = take_bits(&b, 4) + 1;
    stream->width = take_bits(&b, width_bits) + 1, stream->height = take_bits(&b, height_bits) + 1;
    /* Lengths of the numbers of frames. */
    if (!is_reduced && take_bit(&b))
        take_bits(&b, 7);
    take_bits(&b, 3);
    if (!is_reduced)
        skip_tools(&b);
    bool has_super_resolution = take_bit(&b);
    take_bits(&b, 2);
    read_colors(&b, profile, stream);
    bool has_film_grain = take_bit(&b);
    stream->extra = has_super_resolution + has_film_grain;
    return !b.is_over;
}

/* obu_header() and obu_size, 5.3: takes the next unit. Without a size it extends to the end. */
static bool take_unit(sdcs_span *bytes, uint32_t *type, sdcs_span *unit) {
    uint64_t head, extension, next = 0x80, size = 0;
    if (!sdcs_take(bytes, 1, &head) || ((head & 4) && !sdcs_take(bytes, 1, &extension)))
        return false;
    *type = head >> 3 & 15;
    /* leb128(), 4.10.5. */
    for (unsigned shift = 0; (head & 2) && (next & 0x80) && shift < 56; shift += 7) {
        if (!sdcs_take(bytes, 1, &next))
            return false;
        size |= (next & 0x7f) << shift;
    }
    *unit = *bytes;
    if (!(head & 2))
        size = bytes->length;
    unit->length = (size_t)size;
    return size <= bytes->length && sdcs_skip(bytes, (size_t)size);
}

uint32_t sdcs_larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

void sdcs_read_av1_stream(sdcs_span bytes, sdcs_av1_stream *most) {
    uint32_t type;
    sdcs_span unit;
    size_t frames = 0;
    while (take_unit(&bytes, &type, &unit)) {
        sdcs_av1_stream sequence;
        if (type == SEQUENCE_HEADER) {
            if (!read_sequence(unit, &sequence))
                break;
            most->bits = sdcs_larger(most->bits, sequence.bits);
            most->chroma = sdcs_larger(most->chroma, sequence.chroma);
            most->width = sdcs_larger(most->width, sequence.width);
            most->height = sdcs_larger(most->height, sequence.height);
            most->extra = sdcs_larger(most->extra, sequence.extra);
        }
        frames += type == FRAME || type == FRAME_HEADER || type == REDUNDANT_FRAME_HEADER;
    }
    if (frames > most->frames)
        most->frames = frames;
}
