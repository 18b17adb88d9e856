/* The TIFF coder, by libtiff. */
#include <sdimage/plugins/tiff.h>

#include <string.h>
#include <tiffio.h>

#include "../../Modules/common/picture.h"

/* The bytes as libtiff reads them. */
typedef struct memory {
    const uint8_t *bytes;
    size_t length, at;
} memory;

static tmsize_t read_memory(thandle_t handle, void *buffer, tmsize_t size) {
    memory *self = handle;
    size_t left = self->at < self->length ? self->length - self->at : 0;
    size_t count = size < 0 ? 0 : (size_t)size < left ? (size_t)size : left;
    memcpy(buffer, self->bytes + (left ? self->at : 0), count);
    self->at += count;
    return (tmsize_t)count;
}

static tmsize_t write_nothing(thandle_t handle, void *buffer, tmsize_t size) {
    (void)handle, (void)buffer, (void)size;
    return -1;
}

static toff_t seek_memory(thandle_t handle, toff_t offset, int whence) {
    memory *self = handle;
    toff_t from = whence == SEEK_CUR ? self->at : whence == SEEK_END ? self->length : 0;
    if (offset > self->length || from > self->length - offset)
        return (toff_t)-1;
    self->at = (size_t)(from + offset);
    return self->at;
}

static int close_memory(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t size_of_memory(thandle_t handle) { return ((memory *)handle)->length; }

static bool can_decode(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return sdimage_sniff(bytes, length) == SDIMAGE_FORMAT_TIFF;
}

static sdimage_status read_picture(TIFF *file, const sdmod_wish *wish, sdimage_image **image, sdimage_error **error) {
    sdmod_facts facts = {.format = SDIMAGE_FORMAT_TIFF, .orientation = SDIMAGE_ORIENTATION_UP, .has_alpha = true};
    facts.chroma = 8, facts.bits = 8, facts.frame_count = 1;
    sdimage_image *plain = NULL;
    void *pixels = NULL;
    size_t stride = 0;
    if (!TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &facts.width) || !TIFFGetField(file, TIFFTAG_IMAGELENGTH, &facts.height))
        return sdmod_fail(error, SDIMAGE_STATUS_BAD_DATA, "a picture without a size");
    sdimage_status status = sdmod_check(&facts, wish, 1, error);
    if (status >= 0)
        status = sdimage_image_new_uninitialized(facts.width, facts.height, SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED,
                                                 &plain, &pixels, &stride, error);
    uint32_t *raster = status < 0 ? NULL : _TIFFmalloc((tmsize_t)facts.width * facts.height * 4);
    if (status >= 0 && !raster)
        status = sdmod_fail(error, SDIMAGE_STATUS_NO_MEMORY, "no memory for a picture");
    if (status >= 0 && !TIFFReadRGBAImageOriented(file, facts.width, facts.height, raster, ORIENTATION_TOPLEFT, 1))
        status = sdmod_fail(error, SDIMAGE_STATUS_BAD_DATA, "pixels that cannot be read");
    for (uint32_t y = 0; status >= 0 && y < facts.height; y++)
        memcpy((uint8_t *)pixels + y * stride, raster + (size_t)y * facts.width, (size_t)facts.width * 4);
    _TIFFfree(raster);
    if (status >= 0)
        status = sdmod_attach(&facts, plain, image, error);
    sdimage_image_unref(plain);
    return status;
}

static sdimage_status decode(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             const sdimage_options *bag, sdimage_image **image, sdimage_error **error) {
    (void)user_data, (void)bag;
    memory memory = {bytes, length, 0};
    sdmod_wish wish = sdmod_wish_of(options);
    TIFF *file = TIFFClientOpen("picture", "rm", &memory, read_memory, write_nothing, seek_memory, close_memory,
                                size_of_memory, NULL, NULL);
    if (!file)
        return sdmod_fail(error, SDIMAGE_STATUS_BAD_DATA, "no directory that can be read");
    sdimage_status status = read_picture(file, &wish, image, error);
    TIFFClose(file);
    return status;
}

static const sdimage_coder_vtable table = {.size = sizeof table, .can_decode = can_decode, .decode = decode};

SDIMAGE_API sdimage_status sdimage_tiff_coder_new(sdimage_coder **coder, sdimage_error **error) {
    return sdimage_coder_new_custom("tiff", &table, NULL, NULL, coder, error);
}
