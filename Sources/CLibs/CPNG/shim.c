#include "CPNG.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct cpng_reader {
    png_structp png;
    png_infop info;
    const unsigned char *bytes;
    size_t length;
    size_t offset;
    jmp_buf jump;
    cpng_status status;
    int is_finishing;
    int is_partial;
    char message[96];
};

static void stop(cpng_reader *reader, cpng_status status, const char *message) {
    reader->status = status;
    strncpy(reader->message, message, sizeof reader->message - 1);
    longjmp(reader->jump, 1);
}

static void on_error(png_structp png, png_const_charp message) { stop(png_get_error_ptr(png), CPNG_BAD_DATA, message); }

static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

/* True at the header of a chunk behind the picture data: all of it has been read and checked. */
static int is_behind_data(const cpng_reader *reader) {
    return (png_get_io_state(reader->png) & PNG_IO_MASK_LOC) == PNG_IO_CHUNK_HDR && reader->length - reader->offset >= 8 &&
           memcmp(reader->bytes + reader->offset + 4, "IDAT", 4) != 0;
}

/* True at the header of a palette that a true-colour picture carries for poorer screens. Where it follows tRNS libpng
   would drop the transparency: as an ancillary chunk, which lower case makes of it, it is passed over. */
static int is_suggested_palette(const cpng_reader *reader, png_const_bytep chunk) {
    const size_t color_type_offset = 25;
    return (png_get_io_state(reader->png) & PNG_IO_MASK_LOC) == PNG_IO_CHUNK_HDR && memcmp(chunk + 4, "PLTE", 4) == 0 &&
           (reader->bytes[color_type_offset] & 3) == PNG_COLOR_MASK_COLOR;
}

static void on_read(png_structp png, png_bytep to, size_t count) {
    cpng_reader *reader = png_get_io_ptr(png);
    if (reader->is_finishing && is_behind_data(reader))
        stop(reader, CPNG_OK, "");
    if (count > reader->length - reader->offset)
        stop(reader, CPNG_TRUNCATED, "the bytes end early");
    memcpy(to, reader->bytes + reader->offset, count);
    reader->offset += count;
    if (count == 8 && is_suggested_palette(reader, to))
        to[4] |= 0x20;
    /* libpng fills its buffer of 8 KiB or fails: near the end a smaller one, to lose no row that is there. */
    if (reader->is_partial)
        png_set_compression_buffer_size(png, reader->length - reader->offset > 8192 + 64 ? 8192 : 16);
}

cpng_reader *cpng_open(const void *bytes, size_t length) {
    cpng_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->bytes = bytes;
    reader->length = length;
    if (setjmp(reader->jump)) {
        cpng_close(reader);
        return NULL;
    }
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, on_error, on_warning);
    reader->info = reader->png ? png_create_info_struct(reader->png) : NULL;
    if (!reader->info) {
        cpng_close(reader);
        return NULL;
    }
    png_set_read_fn(reader->png, reader, on_read);
    /* The caller limits the area and the memory of rows, and no chunk is kept: what libpng would refuse by itself is
       a large but harmless chunk that it only passes over. */
    png_set_user_limits(reader->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(reader->png, 0);
    png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    /* Every chunk carries a CRC-32, which is checked. */
    png_set_option(reader->png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
    return reader;
}

void cpng_accept_partial(cpng_reader *reader) { reader->is_partial = 1; }

void cpng_close(cpng_reader *reader) {
    if (!reader)
        return;
    png_destroy_read_struct(&reader->png, &reader->info, NULL);
    free(reader);
}

/* A tRNS that stood before PLTE is marked as valid and yet was dropped: the count tells. */
static int has_transparency(cpng_reader *reader) {
    png_bytep alpha;
    png_color_16p color;
    int count = 0;
    return png_get_tRNS(reader->png, reader->info, &alpha, &count, &color) != 0 && count > 0;
}

cpng_status cpng_read_header(cpng_reader *reader, cpng_header *header) {
    if (setjmp(reader->jump))
        return reader->status;
    png_read_info(reader->png, reader->info);
    header->width = png_get_image_width(reader->png, reader->info);
    header->height = png_get_image_height(reader->png, reader->info);
    header->depth = png_get_bit_depth(reader->png, reader->info);
    header->color_type = png_get_color_type(reader->png, reader->info);
    header->is_interlaced = png_get_interlace_type(reader->png, reader->info) != PNG_INTERLACE_NONE;
    header->has_transparency = has_transparency(reader);
    return CPNG_OK;
}

static void set_layout(cpng_reader *reader, cpng_layout layout) {
    int type = png_get_color_type(reader->png, reader->info);
    int has_alpha = (type & PNG_COLOR_MASK_ALPHA) || has_transparency(reader);
    png_set_expand(reader->png);
    if (!(type & PNG_COLOR_MASK_COLOR) && layout.channels >= 3)
        png_set_gray_to_rgb(reader->png);
    const uint16_t one = 1;
    if (layout.bits == 8)
        png_set_strip_16(reader->png);
    else if (*(const unsigned char *)&one)
        png_set_swap(reader->png);
    if (layout.channels == 4 && !has_alpha)
        png_set_add_alpha(reader->png, 0xFFFF, PNG_FILLER_AFTER);
}

cpng_status cpng_start(cpng_reader *reader, cpng_layout layout, int *passes) {
    if (setjmp(reader->jump))
        return reader->status;
    set_layout(reader, layout);
    *passes = png_set_interlace_handling(reader->png);
    png_read_update_info(reader->png, reader->info);
    /* What is written into the caller's rows must be what the caller made room for. */
    size_t expected = (size_t)png_get_image_width(reader->png, reader->info) * (size_t)layout.channels * (size_t)layout.bits / 8;
    if (png_get_rowbytes(reader->png, reader->info) != expected)
        stop(reader, CPNG_BAD_DATA, "unexpected row layout");
    return CPNG_OK;
}

cpng_status cpng_read_row(cpng_reader *reader, void *row, int fill) {
    if (setjmp(reader->jump))
        return reader->status;
    if (fill)
        png_read_row(reader->png, NULL, row);
    else
        png_read_row(reader->png, row, NULL);
    return CPNG_OK;
}

cpng_status cpng_finish(cpng_reader *reader) {
    if (setjmp(reader->jump))
        return reader->status;
    reader->is_finishing = 1;
    png_read_end(reader->png, NULL);
    return CPNG_OK;
}

const char *cpng_message(const cpng_reader *reader) { return reader->message; }

const char *cpng_library_version(void) { return png_get_libpng_ver(NULL); }

size_t cpng_inflate(void *to, size_t capacity, const void *from, size_t length) {
    uLongf produced = capacity;
    return uncompress(to, &produced, from, length) == Z_OK ? produced : 0;
}

uint32_t cpng_crc(const void *bytes, size_t length) { return (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes, length); }
