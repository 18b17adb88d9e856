#include "reference.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

size_t reference_deflate(void *to, size_t capacity, const void *from, size_t length, int level, int strategy) {
    z_stream stream = {0};
    if (deflateInit2(&stream, level, Z_DEFLATED, 15, 8, strategy) != Z_OK)
        return 0;
    stream.next_in = (Bytef *)(uintptr_t)from;
    stream.avail_in = (uInt)length;
    stream.next_out = to;
    stream.avail_out = (uInt)capacity;
    int status = deflate(&stream, Z_FINISH);
    size_t produced = stream.total_out;
    deflateEnd(&stream);
    return status == Z_STREAM_END ? produced : 0;
}

int reference_inflate(void *to, size_t capacity, const void *from, size_t length, size_t *produced) {
    z_stream stream = {0};
    if (inflateInit2(&stream, 15) != Z_OK)
        return REFERENCE_DAMAGED;
    inflateValidate(&stream, 0);
    stream.next_in = (Bytef *)(uintptr_t)from;
    stream.avail_in = (uInt)length;
    stream.next_out = to;
    stream.avail_out = (uInt)capacity;
    int status = inflate(&stream, Z_SYNC_FLUSH);
    *produced = stream.total_out;
    inflateEnd(&stream);
    if (status == Z_STREAM_END)
        return REFERENCE_ENDED;
    return status == Z_OK || status == Z_BUF_ERROR ? REFERENCE_GOES_ON : REFERENCE_DAMAGED;
}

uint32_t reference_crc(const void *bytes, size_t length) {
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes, length);
}

typedef struct {
    const unsigned char *bytes;
    size_t length;
} input;

static void read_input(png_structp png, png_bytep to, size_t count) {
    input *in = png_get_io_ptr(png);
    if (count > in->length)
        png_error(png, "the end");
    memcpy(to, in->bytes, count);
    in->bytes += count;
    in->length -= count;
}

static void ignore(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void end_read(png_structp png, png_const_charp message) {
    (void)message;
    png_longjmp(png, 1);
}

int reference_png(uint16_t *to, size_t width, size_t height, const void *bytes, size_t length) {
    input in = {bytes, length};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, end_read, ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_read_struct(&png, &info, NULL);
        return 0;
    }
    png_set_read_fn(png, &in, read_input);
    png_read_info(png, info);
    if (png_get_image_width(png, info) != width || png_get_image_height(png, info) != height)
        png_error(png, "another size");
    png_set_expand_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xFFFF, PNG_FILLER_AFTER);
    png_set_swap(png);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    for (int pass = 0; pass < passes; pass++)
        for (size_t y = 0; y < height; y++)
            png_read_row(png, (png_bytep)(to + y * width * 4), NULL);
    png_destroy_read_struct(&png, &info, NULL);
    return 1;
}
