/* shim.c: calls of libpng and zlib that Swift cannot make. libpng reads the header only; PNGHeader calls it. Pixels are
   inflated and unfiltered by the kernels of SDImagePixels, and by zlib where cpng_inflater is used.

   Each function that calls libpng sets the target of longjmp first: an error returns through it. Functions run on the
   thread of a decode, and a reader belongs to one of them. */
#include "CPNG.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A reader of one file. libpng holds a pointer to it. */
struct cpng_reader {
    png_structp png;
    png_infop info;
    const unsigned char *bytes; /* the file; borrowed */
    size_t length;
    size_t offset; /* the next byte to read */
    jmp_buf jump;  /* set by each function that calls libpng */
    cpng_status status;
    char message[96]; /* for `status`; ends with a NUL, because calloc clears it */
};

/* Ends the call of libpng with a status; does not return. */
static void stop(cpng_reader *reader, cpng_status status, const char *message) {
    reader->status = status;
    strncpy(reader->message, message, sizeof reader->message - 1);
    longjmp(reader->jump, 1);
}

/* Receives the errors of libpng; does not return. */
static void on_error(png_structp png, png_const_charp message) {
    stop(png_get_error_ptr(png), CPNG_BAD_DATA, message);
}

/* Ignores warnings, which libpng would print to the standard error output. */
static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

/* Reports the chunk header of a suggested palette in a true-color image. If it follows tRNS, libpng would drop the
   transparency. The caller changes its type to lower case, so that libpng skips it as an ancillary chunk. */
static int is_suggested_palette(const cpng_reader *reader, png_const_bytep chunk) {
    const size_t color_type_offset = 25;
    return (png_get_io_state(reader->png) & PNG_IO_MASK_LOC) == PNG_IO_CHUNK_HDR && memcmp(chunk + 4, "PLTE", 4) == 0 &&
           reader->length > color_type_offset && (reader->bytes[color_type_offset] & 3) == PNG_COLOR_MASK_COLOR;
}

/* Provides libpng with bytes. libpng reads chunk headers of eight bytes at once, which is_suggested_palette relies
   on. */
static void on_read(png_structp png, png_bytep to, size_t count) {
    cpng_reader *reader = png_get_io_ptr(png);
    if (count > reader->length - reader->offset)
        stop(reader, CPNG_TRUNCATED, "data ends early");
    memcpy(to, reader->bytes + reader->offset, count);
    reader->offset += count;
    if (count == 8 && is_suggested_palette(reader, to))
        to[4] |= 0x20;
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
    /* libpng returns NULL without memory, instead of reporting an error. */
    if (!reader->info) {
        cpng_close(reader);
        return NULL;
    }
    png_set_read_fn(reader->png, reader, on_read);
    /* The caller limits the area and the memory of rows, and no chunk is stored. libpng's own limits would only refuse
       large, harmless chunks that it skips. */
    png_set_user_limits(reader->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(reader->png, 0);
    png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    return reader;
}

void cpng_close(cpng_reader *reader) {
    if (!reader)
        return;
    png_destroy_read_struct(&reader->png, &reader->info, NULL);
    free(reader);
}

/* Stores a sample of tRNS, big-endian as in the file. */
static void put_channel(cpng_header *header, int channel, png_uint_16 value) {
    header->transparency[2 * channel] = (uint8_t)(value >> 8);
    header->transparency[2 * channel + 1] = (uint8_t)value;
}

/* Copies tRNS, whose meaning depends on the color type. */
static void read_transparency(const cpng_reader *reader, cpng_header *header) {
    png_bytep alpha = NULL;
    png_color_16p color = NULL;
    int count = 0;
    /* A tRNS before PLTE is marked as valid although it was dropped: its count is then 0. */
    if (!png_get_tRNS(reader->png, reader->info, &alpha, &count, &color) || count <= 0)
        return;
    if (header->color_type == PNG_COLOR_TYPE_PALETTE && alpha && count <= PNG_MAX_PALETTE_LENGTH) {
        memcpy(header->transparency, alpha, (size_t)count);
        header->transparency_length = (size_t)count;
    } else if (header->color_type == PNG_COLOR_TYPE_GRAY && color) {
        put_channel(header, 0, color->gray);
        header->transparency_length = 2;
    } else if (header->color_type == PNG_COLOR_TYPE_RGB && color) {
        put_channel(header, 0, color->red);
        put_channel(header, 1, color->green);
        put_channel(header, 2, color->blue);
        header->transparency_length = 6;
    }
}

/* Copies PLTE of a palette image; other color types have only suggestions there. */
static void read_palette(const cpng_reader *reader, cpng_header *header) {
    png_colorp colors = NULL;
    int count = 0;
    if (header->color_type != PNG_COLOR_TYPE_PALETTE || !png_get_PLTE(reader->png, reader->info, &colors, &count))
        return;
    for (int i = 0; i < count && i < PNG_MAX_PALETTE_LENGTH; i++) {
        header->palette[3 * i] = colors[i].red;
        header->palette[3 * i + 1] = colors[i].green;
        header->palette[3 * i + 2] = colors[i].blue;
        header->palette_length = 3 * (size_t)i + 3;
    }
}

cpng_status cpng_read_header(cpng_reader *reader, cpng_header *header) {
    if (setjmp(reader->jump))
        return reader->status;
    png_read_info(reader->png, reader->info);
    memset(header, 0, sizeof *header);
    header->width = png_get_image_width(reader->png, reader->info);
    header->height = png_get_image_height(reader->png, reader->info);
    header->depth = png_get_bit_depth(reader->png, reader->info);
    header->color_type = png_get_color_type(reader->png, reader->info);
    header->is_interlaced = png_get_interlace_type(reader->png, reader->info) != PNG_INTERLACE_NONE;
    read_palette(reader, header);
    read_transparency(reader, header);
    /* The header of the first IDAT was read: it begins eight bytes before. */
    header->data_offset = reader->offset - 8;
    return CPNG_OK;
}

const char *cpng_message(const cpng_reader *reader) {
    return reader->message;
}

const char *cpng_library_version(void) {
    return png_get_libpng_ver(NULL);
}

size_t cpng_inflate(void *to, size_t capacity, const void *from, size_t length) {
    uLongf produced = capacity;
    return uncompress(to, &produced, from, length) == Z_OK ? produced : 0;
}

struct cpng_inflater {
    z_stream stream;
};

cpng_inflater *cpng_inflater_open(void) {
    cpng_inflater *inflater = calloc(1, sizeof *inflater);
    if (!inflater)
        return NULL;
    /* The checksum is neither computed nor compared. */
    if (inflateInit(&inflater->stream) == Z_OK && inflateValidate(&inflater->stream, 0) == Z_OK)
        return inflater;
    cpng_inflater_close(inflater);
    return NULL;
}

void cpng_inflater_close(cpng_inflater *inflater) {
    if (!inflater)
        return;
    inflateEnd(&inflater->stream);
    free(inflater);
}

cpng_inflate_status cpng_inflate_some(cpng_inflater *inflater, const uint8_t **in, const uint8_t *in_end, uint8_t *room,
                                      size_t *position, size_t capacity) {
    /* zlib counts in 32 bits. */
    enum { PIECE = 1 << 30 };
    z_stream *stream = &inflater->stream;
    while (*position < capacity) {
        size_t left = (size_t)(in_end - *in), space = capacity - *position;
        uInt given = left < PIECE ? (uInt)left : PIECE, free_room = space < PIECE ? (uInt)space : PIECE;
        stream->next_in = (Bytef *)*in, stream->avail_in = given;
        stream->next_out = room + *position, stream->avail_out = free_room;
        int status = inflate(stream, Z_NO_FLUSH);
        *in += given - stream->avail_in, *position += free_room - stream->avail_out;
        if (status == Z_STREAM_END)
            return CPNG_INFLATE_ENDED;
        /* Z_BUF_ERROR means that neither input nor output could be used: more of one is needed. */
        if (status != Z_OK && status != Z_BUF_ERROR)
            return CPNG_INFLATE_DAMAGED;
        if (*in == in_end && *position < capacity)
            return CPNG_INFLATE_NEEDS_INPUT;
    }
    return CPNG_INFLATE_IS_FULL;
}

size_t cpng_deflate(int level, void *to, size_t capacity, const void *from, size_t length,
                    bool (*should_stop)(void *context), void *context) {
    enum { PIECE = 1 << 20 };
    z_stream stream = {.next_in = (Bytef *)from, .next_out = to};
    if (deflateInit(&stream, level) != Z_OK)
        return 0;
    int status = Z_OK;
    size_t left = length, room = capacity;
    while (status == Z_OK && !should_stop(context)) {
        /* Bytes of a piece that zlib has not consumed count as left. */
        uInt in = left < PIECE ? (uInt)left : PIECE, out = room < PIECE ? (uInt)room : PIECE;
        stream.avail_in = in, stream.avail_out = out;
        status = deflate(&stream, in == left ? Z_FINISH : Z_NO_FLUSH);
        left -= in - stream.avail_in, room -= out - stream.avail_out;
    }
    deflateEnd(&stream);
    return status == Z_STREAM_END ? capacity - room : 0;
}
