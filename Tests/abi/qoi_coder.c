/* qoi_coder.c: QOI, the complete format (https://qoiformat.org/qoi-specification.pdf), as a custom coder. */
#include "qoi_coder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { OP_INDEX = 0x00, OP_DIFF = 0x40, OP_LUMA = 0x80, OP_RUN = 0xC0, OP_RGB = 0xFE, OP_RGBA = 0xFF };
enum { HEADER = 14, END = 8, LONGEST_RUN = 62 };

typedef struct pixel {
    uint8_t r, g, b, a;
} pixel;

/* The state that encoder and decoder share. */
typedef struct memory {
    pixel seen[64];
    pixel last;
} memory;

static const memory fresh = {.last = {0, 0, 0, 255}};

static bool equal(pixel one, pixel other) {
    return !memcmp(&one, &other, sizeof one);
}

static pixel *place_of(memory *memory, pixel p) {
    return &memory->seen[(p.r * 3 + p.g * 5 + p.b * 7 + p.a * 11) % 64];
}

static sdimage_status fail(sdimage_status status, const char *message, sdimage_error **error) {
    if (error)
        *error = sdimage_error_new(status, message);
    return status;
}

/* --- The header. */

typedef struct header {
    uint32_t width, height;
    uint8_t channels;
} header;

static uint32_t big_endian(const uint8_t *from) {
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static bool is_qoi(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return length >= 4 && !memcmp(bytes, "qoif", 4);
}

static sdimage_status read_header(const void *bytes, size_t length, header *header, sdimage_error **error) {
    const uint8_t *from = bytes;
    if (length < HEADER)
        return fail(SDIMAGE_STATUS_TRUNCATED, "qoi: header ends early", error);
    *header = (struct header){big_endian(from + 4), big_endian(from + 8), from[12]};
    if (!is_qoi(NULL, bytes, length) || !header->width || !header->height || header->channels < 3 ||
        header->channels > 4 || from[13] > 1)
        return fail(SDIMAGE_STATUS_BAD_DATA, "qoi: impossible header", error);
    return SDIMAGE_STATUS_OK;
}

static sdimage_status info(void *user_data, const void *bytes, size_t length, sdimage_metadata *metadata,
                           sdimage_error **error) {
    header header;
    (void)user_data;
    sdimage_status status = read_header(bytes, length, &header, error);
    if (status < 0)
        return status;
    sdimage_metadata_set_source_size(metadata, header.width, header.height);
    sdimage_metadata_set_has_alpha(metadata, header.channels == 4);
    sdimage_metadata_set_channels(metadata, header.channels);
    return SDIMAGE_STATUS_OK;
}

/* --- Progressive decoding: continues where the bytes ended before. */

typedef struct growing {
    pthread_mutex_t lock;
    uint64_t max_pixels;
    bool accepts_partial;
    header header;
    memory memory;
    /* The offset of the next byte, and the number of pixels so far. */
    size_t at;
    uint64_t count;
    pixel *pixels;
} growing;

static uint64_t area(const growing *self) {
    return (uint64_t)self->header.width * self->header.height;
}

static void destroy_growing(void *user_data, void *instance) {
    growing *self = instance;
    (void)user_data;
    pthread_mutex_destroy(&self->lock);
    free(self->pixels);
    free(self);
}

static sdimage_status open_growing(void *user_data, const sdimage_decode_options *options, void **instance,
                                   sdimage_error **error) {
    growing *self = calloc(1, sizeof *self);
    (void)user_data;
    if (!self)
        return fail(SDIMAGE_STATUS_NO_MEMORY, "qoi: no memory", error);
    pthread_mutex_init(&self->lock, NULL);
    self->max_pixels = sdimage_decode_options_max_pixels(options);
    self->accepts_partial = sdimage_decode_options_should_accept_partial(options);
    self->memory = fresh;
    *instance = self;
    return SDIMAGE_STATUS_OK;
}

static sdimage_status begin(growing *self, const uint8_t *bytes, size_t length, sdimage_error **error) {
    sdimage_status status = read_header(bytes, length, &self->header, error);
    if (status < 0)
        return status;
    uint64_t pixels = area(self);
    if (pixels > self->max_pixels || pixels > SIZE_MAX / sizeof(pixel))
        return fail(SDIMAGE_STATUS_TOO_LARGE, "qoi: more pixels than allowed", error);
    self->pixels = calloc((size_t)pixels, sizeof(pixel));
    if (!self->pixels)
        return fail(SDIMAGE_STATUS_NO_MEMORY, "qoi: no memory", error);
    self->at = HEADER;
    return SDIMAGE_STATUS_OK;
}

static size_t length_of(uint8_t op) {
    return op == OP_RGB ? 4 : op == OP_RGBA ? 5 : (op & 0xC0) == OP_LUMA ? 2 : 1;
}

/* The pixel that results from an operation on the last one; for a run, the last one itself. */
static pixel apply(const memory *memory, const uint8_t *op) {
    pixel p = memory->last;
    if (*op >= OP_RGB)
        return (pixel){op[1], op[2], op[3], *op == OP_RGB ? p.a : op[4]};
    switch (*op & 0xC0) {
    case OP_INDEX: return memory->seen[*op & 63];
    case OP_DIFF:
        return (pixel){(uint8_t)(p.r + (*op >> 4 & 3) - 2), (uint8_t)(p.g + (*op >> 2 & 3) - 2),
                       (uint8_t)(p.b + (*op & 3) - 2), p.a};
    case OP_LUMA: {
        int green = (*op & 63) - 32;
        return (pixel){(uint8_t)(p.r + green + (op[1] >> 4) - 8), (uint8_t)(p.g + green),
                       (uint8_t)(p.b + green + (op[1] & 15) - 8), p.a};
    }
    default: return p;
    }
}

static void grow(growing *self, const uint8_t *bytes, size_t length) {
    uint64_t all = area(self);
    while (self->count < all && self->at < length && length_of(bytes[self->at]) <= length - self->at) {
        const uint8_t *op = bytes + self->at;
        bool is_run = *op >= OP_RUN && *op < OP_RGB;
        uint64_t run = is_run ? (uint64_t)(*op & 63) + 1 : 1;
        pixel p = apply(&self->memory, op);
        for (; run > 0 && self->count < all; run--)
            self->pixels[self->count++] = p;
        *place_of(&self->memory, p) = self->memory.last = p;
        self->at += length_of(*op);
    }
}

static sdimage_status update(void *user_data, void *instance, const void *bytes, size_t length, bool finished,
                             sdimage_error **error) {
    growing *self = instance;
    sdimage_status status = SDIMAGE_STATUS_OK;
    (void)user_data;
    pthread_mutex_lock(&self->lock);
    if (!self->pixels && (length >= HEADER || finished))
        status = begin(self, bytes, length, error);
    if (status >= 0 && self->pixels)
        grow(self, bytes, length);
    bool is_whole = self->pixels && self->count == area(self);
    if (status >= 0 && finished && !is_whole && !(self->accepts_partial && self->count))
        status = fail(SDIMAGE_STATUS_TRUNCATED, "qoi: pixels are missing", error);
    pthread_mutex_unlock(&self->lock);
    return status;
}

/* Missing pixels are zero. */
static sdimage_status copy_image(void *user_data, void *instance, sdimage_image **image, sdimage_error **error) {
    growing *self = instance;
    sdimage_status status = SDIMAGE_STATUS_NEED_MORE_DATA;
    void *pixels = NULL;
    size_t stride = 0;
    (void)user_data;
    pthread_mutex_lock(&self->lock);
    if (self->count) {
        size_t width = self->header.width, channels = self->header.channels;
        status = sdimage_image_new_uninitialized(self->header.width, self->header.height,
                                                 channels == 4 ? SDIMAGE_PIXEL_FORMAT_RGBA8 : SDIMAGE_PIXEL_FORMAT_RGB8,
                                                 image, &pixels, &stride, error);
        for (size_t y = 0; status >= 0 && y < self->header.height; y++)
            for (size_t x = 0; x < width; x++)
                memcpy((uint8_t *)pixels + y * stride + x * channels, &self->pixels[y * width + x], channels);
    }
    pthread_mutex_unlock(&self->lock);
    return status;
}

/* Decodes complete data as the last piece of a progressive image. */
static sdimage_status decode(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             sdimage_image **image, sdimage_error **error) {
    void *instance = NULL;
    sdimage_status status = open_growing(user_data, options, &instance, error);
    if (status < 0)
        return status;
    status = update(user_data, instance, bytes, length, true, error);
    if (status >= 0)
        status = copy_image(user_data, instance, image, error);
    destroy_growing(user_data, instance);
    return status;
}

/* --- Encoding. */

static bool can_encode(void *user_data, sdimage_format format) {
    (void)user_data;
    return format == QOI_FORMAT;
}

/* Writes the one operation for a pixel that differs from the last one; returns its length. */
static size_t write_pixel(uint8_t *to, memory *memory, pixel p) {
    pixel last = memory->last, *place = place_of(memory, p);
    int8_t r = (int8_t)(p.r - last.r), g = (int8_t)(p.g - last.g), b = (int8_t)(p.b - last.b);
    int8_t from_green_r = (int8_t)(r - g), from_green_b = (int8_t)(b - g);
    bool is_known = equal(*place, p);
    *place = p;
    if (is_known)
        return to[0] = (uint8_t)(OP_INDEX | (place - memory->seen)), 1;
    if (p.a != last.a)
        return memcpy(to, (uint8_t[]){OP_RGBA, p.r, p.g, p.b, p.a}, 5), 5;
    if (r >= -2 && r <= 1 && g >= -2 && g <= 1 && b >= -2 && b <= 1)
        return to[0] = (uint8_t)(OP_DIFF | (r + 2) << 4 | (g + 2) << 2 | (b + 2)), 1;
    if (g >= -32 && g <= 31 && from_green_r >= -8 && from_green_r <= 7 && from_green_b >= -8 && from_green_b <= 7) {
        to[0] = (uint8_t)(OP_LUMA | (g + 32));
        to[1] = (uint8_t)((from_green_r + 8) << 4 | (from_green_b + 8));
        return 2;
    }
    return memcpy(to, (uint8_t[]){OP_RGB, p.r, p.g, p.b}, 4), 4;
}

/* `to` has room for 5 bytes per pixel, the header and the end marker. */
static size_t write_all(uint8_t *to, const sdimage_image *image, uint8_t channels) {
    uint32_t width = sdimage_image_width(image), height = sdimage_image_height(image);
    const uint8_t *pixels = sdimage_image_pixels(image);
    memory memory = fresh;
    size_t at = HEADER, run = 0;
    memcpy(to, "qoif", 4);
    for (int i = 0; i < 4; i++) {
        to[4 + i] = (uint8_t)(width >> (24 - 8 * i));
        to[8 + i] = (uint8_t)(height >> (24 - 8 * i));
    }
    to[12] = channels;
    to[13] = 0;
    for (size_t i = 0; i < (size_t)width * height; i++) {
        pixel p;
        memcpy(&p, pixels + i / width * sdimage_image_stride(image) + i % width * sizeof p, sizeof p);
        bool is_last = i + 1 == (size_t)width * height, is_same = equal(p, memory.last);
        run += is_same;
        if (run && (!is_same || run == LONGEST_RUN || is_last)) {
            to[at++] = (uint8_t)(OP_RUN | (run - 1));
            run = 0;
        }
        if (!is_same)
            at += write_pixel(to + at, &memory, p);
        memory.last = p;
    }
    memcpy(to + at, "\0\0\0\0\0\0\0\1", END);
    return at + END;
}

static sdimage_status encode(void *user_data, const sdimage_image *image, sdimage_format format,
                             const sdimage_encode_options *options, sdimage_data **data, sdimage_error **error) {
    sdimage_image *rgba = NULL;
    (void)options;
    if (!can_encode(user_data, format))
        return fail(SDIMAGE_STATUS_UNSUPPORTED, "qoi: another format", error);
    sdimage_status status = sdimage_image_convert(image, SDIMAGE_PIXEL_FORMAT_RGBA8, &rgba, error);
    if (status < 0)
        return status;
    size_t room = (size_t)sdimage_image_width(rgba) * sdimage_image_height(rgba) * 5 + HEADER + END;
    uint8_t *bytes = malloc(room);
    size_t length = bytes ? write_all(bytes, rgba, sdimage_image_has_alpha(image) ? 4 : 3) : 0;
    status =
        bytes ? sdimage_data_new(bytes, length, data, error) : fail(SDIMAGE_STATUS_NO_MEMORY, "qoi: no memory", error);
    free(bytes);
    sdimage_image_unref(rgba);
    return status;
}

const sdimage_coder_vtable qoi_table = {
    .size = sizeof(sdimage_coder_vtable),
    .can_decode = is_qoi,
    .decode = decode,
    .can_encode = can_encode,
    .encode = encode,
    .open = open_growing,
    .instance_update = update,
    .instance_image = copy_image,
    .instance_destroy = destroy_growing,
    .info = info,
};
