/* frames.c: headers of frames, and the limit of their memory (see frames.h). */
#include "frames.h"

#include "fail.h"
#include "image.h"

/* Values of fields of the header: frame types, a flag, and blend modes. */
enum { REGULAR = 0, DC = 1, REFERENCE_ONLY = 2, SKIP_PROGRESSIVE = 3 };
enum { USES_DC_FRAME = 32 };
enum { REPLACE = 0, BLEND = 2, WEIGHTED_ADD = 3, MULTIPLY = 4 };

/* Sides of groups in pixels, bytes to which libjxl pads rows of planes, and its limit of the entries of a table of
 * contents. */
enum { GROUP = 256, ROW_ALIGNMENT = 128, MOST_ENTRIES = 65536 };

/* Limit of the bytes of the frames that others reference. */
static const uint64_t MOST_REFERENCES = (uint64_t)512 << 20;

/* The fields of a header that determine its length, or the memory of the frame. */
typedef struct header {
    uint32_t type;
    bool is_modular, is_partial, is_last, is_referenced, has_extensions;
    uint32_t upsampling, group_shift, passes, dc_level;
    uint32_t width, height; /* with upsampling */
    uint32_t duration, blend_mode, slot;
} header;

/* --- Fields. */

/* U32() of the standard: takes a number in one of four forms: an offset, and a count of bits that are added to it. */
static uint32_t take_u32(sdjxl_reader *reader, const uint32_t offsets[4], const unsigned counts[4]) {
    uint32_t form = sdjxl_take_bits(reader, 2);
    return offsets[form] + sdjxl_take_bits(reader, counts[form]);
}

#define TAKE_U32(reader, o0, c0, o1, c1, o2, c2, o3, c3)                                                               \
    take_u32(reader, (const uint32_t[]){o0, o1, o2, o3}, (const unsigned[]){c0, c1, c2, c3})

static void skip_bits(sdjxl_reader *reader, uint32_t count) {
    for (; count > 32; count -= 32)
        sdjxl_take_bits(reader, 32);
    sdjxl_take_bits(reader, count);
}

/* U64() of the standard. */
static uint64_t take_u64(sdjxl_reader *reader) {
    uint32_t form = sdjxl_take_bits(reader, 2);
    if (form < 3)
        return form == 0 ? 0 : form == 1 ? 1 + sdjxl_take_bits(reader, 4) : 17 + sdjxl_take_bits(reader, 8);
    uint64_t value = sdjxl_take_bits(reader, 12);
    for (unsigned shift = 12; sdjxl_take_bits(reader, 1); shift += 8) {
        if (shift == 60)
            return value | (uint64_t)sdjxl_take_bits(reader, 4) << shift;
        value |= (uint64_t)sdjxl_take_bits(reader, 8) << shift;
    }
    return value;
}

static uint32_t take_side(sdjxl_reader *reader) {
    return TAKE_U32(reader, 0, 8, 256, 11, 2304, 14, 18688, 30);
}

/* Takes the offset of a crop, whose sign is the lowest bit. */
static int64_t take_offset(sdjxl_reader *reader) {
    uint32_t value = take_side(reader);
    return value & 1 ? -(int64_t)(value >> 1) - 1 : (int64_t)(value >> 1);
}

static void read_passes(sdjxl_reader *reader, header *header) {
    header->passes = TAKE_U32(reader, 1, 0, 2, 0, 3, 0, 4, 3);
    if (header->passes == 1)
        return;
    uint32_t steps = TAKE_U32(reader, 0, 0, 1, 0, 2, 0, 3, 1);
    skip_bits(reader, 2 * (header->passes - 1));
    skip_bits(reader, 2 * steps);
    for (uint32_t i = 0; i < steps; i++)
        TAKE_U32(reader, 0, 0, 1, 0, 2, 0, 0, 3);
}

static void read_crop(sdjxl_reader *reader, const JxlBasicInfo *info, header *header) {
    bool is_layer = header->type != REFERENCE_ONLY;
    int64_t x = is_layer ? take_offset(reader) : 0, y = is_layer ? take_offset(reader) : 0;
    header->width = take_side(reader), header->height = take_side(reader);
    header->is_partial =
        is_layer && (x > 0 || y > 0 || x + header->width < info->xsize || y + header->height < info->ysize);
}

/* Reads how one channel is blended. */
static uint32_t read_blending(sdjxl_reader *reader, const JxlBasicInfo *info, const header *header) {
    uint32_t mode = TAKE_U32(reader, REPLACE, 0, 1, 0, BLEND, 0, 3, 2);
    bool uses_alpha = info->num_extra_channels && (mode == BLEND || mode == WEIGHTED_ADD);
    if (uses_alpha)
        TAKE_U32(reader, 0, 0, 1, 0, 2, 0, 3, 3);
    if (uses_alpha || mode == MULTIPLY)
        skip_bits(reader, 1);
    if (mode != REPLACE || header->is_partial)
        skip_bits(reader, 2);
    return mode;
}

/* Reads the fields that only shown frames have: blending, duration, and the flag of the last frame. */
static void read_layer(sdjxl_reader *reader, const JxlBasicInfo *info, header *header) {
    header->blend_mode = read_blending(reader, info, header);
    for (uint32_t i = 0; i < info->num_extra_channels && !reader->is_short; i++)
        read_blending(reader, info, header);
    if (info->have_animation) {
        header->duration = TAKE_U32(reader, 0, 0, 1, 0, 0, 8, 0, 32);
        skip_bits(reader, info->animation.have_timecodes ? 32 : 0);
    }
    /* Before version 0.10, libjxl takes only regular frames for the last one. */
    header->is_last = sdjxl_take_bits(reader, 1) && (header->type == REGULAR || JxlDecoderVersion() >= 10000);
}

/* Skips the loop filter, and reports its extensions. */
static void skip_filter(sdjxl_reader *reader, header *header) {
    if (sdjxl_take_bits(reader, 1))
        return;
    if (sdjxl_take_bits(reader, 1) && sdjxl_take_bits(reader, 1))
        skip_bits(reader, 6 * 16);
    if (sdjxl_take_bits(reader, 2)) {
        if (!header->is_modular && sdjxl_take_bits(reader, 1))
            skip_bits(reader, 8 * 16);
        if (sdjxl_take_bits(reader, 1))
            skip_bits(reader, 5 * 16);
        if (sdjxl_take_bits(reader, 1))
            skip_bits(reader, header->is_modular ? 3 * 16 : 4 * 16);
        skip_bits(reader, header->is_modular ? 16 : 0);
    }
    header->has_extensions = take_u64(reader) != 0;
}

/* Reads the end of the header: the slot that keeps the frame for others, its name, loop filter and extensions. */
static void read_end(sdjxl_reader *reader, header *header) {
    if (header->type != DC && !header->is_last)
        header->slot = sdjxl_take_bits(reader, 2);
    header->is_referenced = header->type != DC && !header->is_last && (!header->duration || header->slot);
    bool is_layer = header->type == REGULAR || header->type == SKIP_PROGRESSIVE;
    if (header->type == REFERENCE_ONLY ||
        (is_layer && header->is_referenced && header->blend_mode == REPLACE && !header->is_partial))
        skip_bits(reader, 1);
    skip_bits(reader, 8 * TAKE_U32(reader, 0, 0, 0, 4, 16, 5, 48, 10));
    skip_filter(reader, header);
    header->has_extensions = take_u64(reader) || header->has_extensions;
}

/* Reads the fields from the color transform to the group size. */
static void read_coding(sdjxl_reader *reader, const JxlBasicInfo *info, uint64_t flags, header *header) {
    bool is_xyb = !info->uses_original_profile, is_ycbcr = !is_xyb && sdjxl_take_bits(reader, 1);
    if (!(flags & USES_DC_FRAME)) {
        skip_bits(reader, is_ycbcr ? 6 : 0);
        header->upsampling = 1U << sdjxl_take_bits(reader, 2);
        skip_bits(reader, 2 * info->num_extra_channels);
    }
    if (header->is_modular)
        header->group_shift = sdjxl_take_bits(reader, 2);
    else if (is_xyb)
        skip_bits(reader, 6);
}

/* Reads a header (F.2); the reader is then at the table of contents. */
static header read_header(sdjxl_reader *reader, const JxlBasicInfo *info, bool is_preview) {
    header header = {.upsampling = 1, .group_shift = 1, .passes = 1, .is_last = true};
    header.width = is_preview ? info->preview.xsize : info->xsize;
    header.height = is_preview ? info->preview.ysize : info->ysize;
    if (sdjxl_take_bits(reader, 1))
        return header;
    header.is_last = false;
    header.type = sdjxl_take_bits(reader, 2);
    header.is_modular = sdjxl_take_bits(reader, 1);
    read_coding(reader, info, take_u64(reader), &header);
    if (header.type != REFERENCE_ONLY)
        read_passes(reader, &header);
    if (header.type == DC)
        header.dc_level = 1 + sdjxl_take_bits(reader, 2);
    else if (sdjxl_take_bits(reader, 1))
        read_crop(reader, info, &header);
    if (header.type == REGULAR || header.type == SKIP_PROGRESSIVE)
        read_layer(reader, info, &header);
    read_end(reader, &header);
    return header;
}

/* --- The table of contents. */

/* Divides, and rounds up. */
static uint64_t ceil_divide(uint64_t count, uint64_t size) {
    return (count + size - 1) / size;
}

/* Returns a side of the frame in its own pixels: a DC frame has one for 8 or more pixels of the image. */
static uint32_t frame_side(const header *header, uint32_t side) {
    return (uint32_t)ceil_divide(side, UINT64_C(1) << 3 * header->dc_level);
}

/* Returns a side of the frame as it is coded, before upsampling. */
static uint32_t coded_side(const header *header, uint32_t side) {
    return (uint32_t)ceil_divide(frame_side(header, side), header->upsampling);
}

/* Returns the count of sections of a frame (F.3.1). */
static uint64_t count_sections(const header *header) {
    uint64_t group = (uint64_t)(GROUP / 2) << header->group_shift;
    uint64_t width = coded_side(header, header->width), height = coded_side(header, header->height);
    uint64_t groups = ceil_divide(width, group) * ceil_divide(height, group);
    uint64_t dc_groups = ceil_divide(width, group * 8) * ceil_divide(height, group * 8);
    return groups == 1 && header->passes == 1 ? 1 : 2 + dc_groups + groups * header->passes;
}

/* Returns the sum of the sizes of the sections of a frame; the reader is then at the first. */
static uint64_t sum_sections(sdjxl_reader *reader, uint64_t count) {
    uint64_t sum = 0;
    sdjxl_align(reader);
    for (uint64_t i = 0; i < count && !reader->is_short; i++)
        sum += TAKE_U32(reader, 0, 10, 1024, 14, 17408, 22, 4211712, 30);
    sdjxl_align(reader);
    return sum;
}

/* --- Tables whose sections are permuted.
 *
 * The permutation is compressed, and the sizes follow it. libjxl parses both, in a codestream made for this: an image
 * of 8 x 8 pixels with a regular frame of as many groups, for which libjxl reports an event after the table. Zeros
 * follow the table. libjxl skips as many as the sections have bytes, takes the next ones for another frame, and reports
 * an event for it, too: the zeros before that frame give the sum of the sizes. */

/* Limit of the bytes of that codestream before the table, and the bytes of a frame of zeros up to its event. */
enum { MADE_BYTES = 32, ZERO_FRAME = 7 };

typedef struct writer {
    uint8_t bytes[MADE_BYTES];
    unsigned bit_count;
} writer;

static void put(writer *writer, uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; i++, writer->bit_count++)
        writer->bytes[writer->bit_count / 8] |= (uint8_t)((value >> i & 1) << writer->bit_count % 8);
}

static void put_side(writer *writer, uint32_t side) {
    unsigned form = side < 256 ? 0 : side < 2304 ? 1 : side < 18688 ? 2 : 3;
    put(writer, form, 2);
    put(writer, side - (const uint32_t[]){0, 256, 2304, 18688}[form], (const unsigned[]){8, 11, 14, 30}[form]);
}

/* Writes the codestream up to the table, and the bits of the table from the current byte of the reader: the first,
 * which was taken already, and those that are held. */
static void write_codestream(writer *writer, const sdjxl_reader *reader, const header *header) {
    uint32_t width = coded_side(header, header->width), height = coded_side(header, header->height);
    put(writer, 0x0AFF, 16);
    put(writer, 1 | 1 << 6, 9); /* 8 x 8 pixels */
    put(writer, 3, 7);          /* defaults, and padding */
    put(writer, 8, 8);          /* a regular modular frame without flags and upsampling */
    put(writer, header->group_shift, 2);
    put(writer, header->passes < 4 ? header->passes - 1 : 3 | (header->passes - 4) << 2, header->passes < 4 ? 2 : 5);
    if (header->passes > 1)
        put(writer, 0, 2 + 2 * (header->passes - 1));
    put(writer, 1, 1 + 2 * (2 + 8)); /* a crop at the origin, which covers the image */
    put_side(writer, width < 8 ? 8 : width);
    put_side(writer, height < 8 ? 8 : height);
    put(writer, 0, 2 + 1 + 2 + 1); /* replaces, is not the last, is kept */
    /* The table continues at the same bit of a byte as in the file. For this, zeros are written in longer forms: the
     * length of the name with 4 bits more, the extensions with 15 bits and up to five times 9. */
    unsigned rest = 1 + reader->held_count, nines = (9 - (writer->bit_count + 3 + rest) % 8) % 8;
    put(writer, nines > 5, nines > 5 ? 6 : 2);
    put(writer, 1, 1); /* the default loop filter */
    put(writer, 3, 14);
    for (unsigned i = nines > 5 ? 4 : 0; i < nines; i++)
        put(writer, 1, 9);
    put(writer, 0, 1);
    put(writer, 1 | reader->held << 1, rest);
}

/* Gives libjxl bytes. `left`: the count of those that it has not consumed; after an event they follow the table. */
static JxlDecoderStatus give(JxlDecoder *decoder, const uint8_t *bytes, size_t count, size_t *left) {
    JxlDecoderStatus status = JxlDecoderSetInput(decoder, bytes, count);
    if (status == JXL_DEC_SUCCESS)
        status = JxlDecoderProcessInput(decoder);
    *left = JxlDecoderReleaseInput(decoder);
    return status;
}

/* Gives libjxl the table. The pieces grow, since it reads the table again with each. */
static JxlDecoderStatus give_table(JxlDecoder *decoder, sdjxl_reader *reader) {
    JxlDecoderStatus status = JXL_DEC_NEED_MORE_INPUT;
    for (size_t piece = 1024; status == JXL_DEC_NEED_MORE_INPUT; piece *= 2) {
        size_t count = sdjxl_take_bytes(reader, piece), left;
        if (!count)
            return status;
        status = give(decoder, reader->bytes + reader->position.at - count, count, &left);
        reader->position.at -= left;
    }
    return status;
}

/* Stores the sum of the sizes in a permuted table. NEED_MORE_DATA if the table has not arrived. */
static sdimage_status measure(JxlDecoder *decoder, sdjxl_reader *reader, const header *header, uint64_t *sum) {
    static const uint8_t zeros[1 << 14];
    writer writer = {{0}, 0};
    size_t left;
    write_codestream(&writer, reader, header);
    sdjxl_align(reader);
    if (JxlDecoderSubscribeEvents(decoder, JXL_DEC_FRAME) != JXL_DEC_SUCCESS ||
        JxlDecoderSetCoalescing(decoder, JXL_FALSE) != JXL_DEC_SUCCESS)
        return SDIMAGE_STATUS_NO_MEMORY;
    JxlDecoderStatus status = give(decoder, writer.bytes, writer.bit_count / 8, &left);
    if (status == JXL_DEC_NEED_MORE_INPUT)
        status = give_table(decoder, reader);
    if (status != JXL_DEC_FRAME)
        return status == JXL_DEC_NEED_MORE_INPUT ? SDIMAGE_STATUS_NEED_MORE_DATA : SDIMAGE_STATUS_BAD_DATA;
    for (*sum = 0, status = JXL_DEC_NEED_MORE_INPUT; status == JXL_DEC_NEED_MORE_INPUT; *sum += sizeof zeros - left) {
        if (*sum > UINT32_MAX)
            return SDIMAGE_STATUS_BAD_DATA;
        status = give(decoder, zeros, sizeof zeros, &left);
    }
    if (status != JXL_DEC_FRAME || *sum < ZERO_FRAME)
        return SDIMAGE_STATUS_BAD_DATA;
    *sum -= ZERO_FRAME;
    return SDIMAGE_STATUS_OK;
}

/* --- Limits. */

uint64_t sdjxl_plane_bytes(uint32_t channels, uint32_t width, uint32_t height) {
    uint64_t row = ceil_divide((uint64_t)width * sizeof(float), ROW_ALIGNMENT) * ROW_ALIGNMENT;
    return row * height > UINT64_MAX / channels ? UINT64_MAX : row * height * channels;
}

/* Counts the memory of the next frame. One that is larger than the image counts while it is decoded, and again if it is
 * kept. */
static sdimage_status count_memory(sdjxl_frames *self, const header *header, sdimage_error **error) {
    /* libjxl has three planes of colors, also for gray. */
    uint32_t channels = 3 + self->info.num_extra_channels;
    uint32_t width = frame_side(header, header->width), height = frame_side(header, header->height);
    /* Coefficients of several passes are kept, in whole groups. */
    if (!header->is_modular && header->passes > 1) {
        width = width < GROUP ? GROUP : width;
        height = height < GROUP ? GROUP : height;
    }
    uint64_t image = sdjxl_plane_bytes(channels, self->info.xsize, self->info.ysize);
    uint64_t frame = sdjxl_plane_bytes(channels, width, height), all = 0, larger = frame > image ? frame : 0;
    /* A layer is kept with the rest of the image. */
    if (header->is_referenced)
        self->references[header->slot] = header->type == REFERENCE_ONLY || frame > image ? frame : image;
    for (size_t i = 0; i < sizeof self->references / sizeof *self->references && larger <= SDCS_WORKING_BYTES; i++) {
        all += self->references[i];
        larger += self->references[i] > image ? self->references[i] : 0;
    }
    if (larger > SDCS_WORKING_BYTES)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "jxl: oversized frames exceed the limit of 256 MiB");
    if (all > MOST_REFERENCES)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "jxl: reference frames exceed the limit of 512 MiB");
    return SDIMAGE_STATUS_OK;
}

/* --- Reading. */

void sdjxl_frames_begin(sdjxl_frames *self, const JxlBasicInfo *info, const uint8_t *bytes, size_t length,
                        size_t offset) {
    sdjxl_reader reader = sdjxl_read_at(bytes, length, offset);
    *self = (sdjxl_frames){.info = *info, .has_begun = true, .is_preview = info->have_preview, .next = reader.position};
}

size_t sdjxl_frames_end(sdjxl_frames *self, const uint8_t *bytes, size_t length) {
    if (!self->has_begun || self->is_last)
        return length;
    sdjxl_reader reader = {.bytes = bytes, .length = length, .position = self->next};
    self->missing = sdjxl_skip_bytes(&reader, self->missing);
    self->next = reader.position;
    return self->missing || self->next.at > length ? length : self->next.at;
}

/* Reads the table of contents of a frame and moves past its sections. NEED_MORE_DATA if it has not arrived. */
static sdimage_status skip_sections(sdjxl_frames *self, sdjxl_reader *reader, const header *header) {
    uint64_t count = count_sections(header), sum = 0;
    sdimage_status status = SDIMAGE_STATUS_OK;
    if (count > MOST_ENTRIES)
        return SDIMAGE_STATUS_BAD_DATA;
    if (sdjxl_take_bits(reader, 1)) {
        JxlDecoder *decoder = JxlDecoderCreate(NULL);
        status = decoder ? measure(decoder, reader, header, &sum) : SDIMAGE_STATUS_NO_MEMORY;
        JxlDecoderDestroy(decoder);
    } else {
        sum = sum_sections(reader, count);
    }
    if (status != SDIMAGE_STATUS_OK || reader->is_short)
        return status == SDIMAGE_STATUS_OK ? SDIMAGE_STATUS_NEED_MORE_DATA : status;
    self->missing = sdjxl_skip_bytes(reader, sum);
    self->next = reader->position;
    return SDIMAGE_STATUS_OK;
}

sdimage_status sdjxl_frames_admit(sdjxl_frames *self, const uint8_t *bytes, size_t length, sdimage_error **error) {
    sdjxl_reader reader = {.bytes = bytes, .length = length, .position = self->next};
    bool is_preview = self->is_preview;
    if (self->missing)
        return SDIMAGE_STATUS_NEED_MORE_DATA;
    header header = read_header(&reader, &self->info, is_preview);
    if (!reader.is_short && header.has_extensions)
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "jxl: frame has unknown extensions");
    sdimage_status status = reader.is_short ? SDIMAGE_STATUS_NEED_MORE_DATA : SDIMAGE_STATUS_OK;
    self->is_last = status == SDIMAGE_STATUS_OK && header.is_last && !is_preview;
    if (status == SDIMAGE_STATUS_OK && !self->is_last)
        status = skip_sections(self, &reader, &header);
    if (status == SDIMAGE_STATUS_BAD_DATA || reader.is_damaged)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "jxl: data is damaged");
    if (status == SDIMAGE_STATUS_NO_MEMORY)
        return sdcs_fail(error, status, "jxl: no memory for a decoder");
    if (status != SDIMAGE_STATUS_OK)
        return status;
    self->is_preview = false;
    return is_preview ? SDIMAGE_STATUS_OK : count_memory(self, &header, error);
}
