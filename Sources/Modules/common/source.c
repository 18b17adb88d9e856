#include "source.h"

#include <stdlib.h>
#include <string.h>

/* The default pixel limit of the module's decoder. */
static const uint64_t MOST_PIXELS = (uint64_t)64 << 20;

static bool is_deep(sdimage_pixel_format format) {
    return format == SDIMAGE_PIXEL_FORMAT_GRAY16 || format == SDIMAGE_PIXEL_FORMAT_RGB16 ||
           format == SDIMAGE_PIXEL_FORMAT_RGBA16 || format == SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT;
}

static bool is_gray(sdimage_pixel_format format) {
    return format == SDIMAGE_PIXEL_FORMAT_GRAY8 || format == SDIMAGE_PIXEL_FORMAT_GRAY16;
}

sdimage_status sdsrc_open(sdsrc *source, const sdimage_image *image, int deep_bits, sdimage_error **error) {
    sdimage_pixel_format own = sdimage_image_pixel_format(image);
    bool deep = is_deep(own);
    *source = (sdsrc){NULL, sdimage_image_width(image), sdimage_image_height(image), 0, deep ? deep_bits : 8};
    if ((uint64_t)source->width * source->height > MOST_PIXELS)
        return sdmod_fail(error, SDIMAGE_STATUS_TOO_LARGE, "encoder: image exceeds the limit of 64 Mi pixels");
    sdimage_pixel_format format;
    if (is_gray(own)) {
        source->channels = 1;
        format = own;
    } else if (sdimage_image_has_alpha(image)) {
        source->channels = 4;
        format = deep ? SDIMAGE_PIXEL_FORMAT_RGBA16 : SDIMAGE_PIXEL_FORMAT_RGBA8;
    } else {
        source->channels = 3;
        format = deep ? SDIMAGE_PIXEL_FORMAT_RGB16 : SDIMAGE_PIXEL_FORMAT_RGB8;
    }
    return sdimage_image_convert(image, format, &source->image, error);
}

void sdsrc_close(sdsrc *source) {
    sdimage_image_unref(source->image);
    source->image = NULL;
}

void sdsrc_row(const sdsrc *source, uint32_t y, void *to) {
    const uint8_t *row = (const uint8_t *)sdimage_image_pixels(source->image) + y * sdimage_image_stride(source->image);
    size_t samples = (size_t)source->width * (size_t)source->channels;
    if (source->bits == 8) {
        memcpy(to, row, samples);
        return;
    }
    const uint16_t *from = (const uint16_t *)(const void *)row;
    uint16_t *words = to;
    for (size_t i = 0; i < samples; i++)
        words[i] = (uint16_t)(from[i] >> (16 - source->bits));
}

sdsrc_color sdsrc_color_of(const sdimage_image *image) {
    enum { BT709 = 1, SRGB = 13 };
    uint32_t primaries = sdimage_image_color_primaries(image), transfer = sdimage_image_transfer_characteristics(image);
    if (!primaries && !transfer)
        return (sdsrc_color){BT709, SRGB};
    return (sdsrc_color){(uint16_t)primaries, (uint16_t)transfer};
}

sdimage_status sdsrc_as_stored(const sdimage_image *image, sdimage_image **stored, sdimage_error **error) {
    sdimage_metadata *metadata = NULL;
    sdimage_status status = sdimage_image_copy_metadata(image, &metadata, error);
    if (status < 0)
        return status;
    sdimage_metadata_set_scale(metadata, 1);
    sdimage_metadata_set_orientation(metadata, SDIMAGE_ORIENTATION_UP);
    status = sdimage_image_with_metadata(image, metadata, stored, error);
    sdimage_metadata_unref(metadata);
    return status;
}

/* --- EXIF. */

static uint32_t number(const uint8_t *bytes, size_t count, bool big) {
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++)
        value = value << 8 | bytes[big ? i : count - 1 - i];
    return value;
}

/* Overwrites the orientation tag of the first directory (EXIF 2.32, 4.6.4 A) if it is a single 16-bit number. */
static void replace_orientation(uint8_t *tiff, size_t length, uint8_t orientation) {
    enum { TAG = 0x0112, SHORT = 3, ENTRY = 12 };
    bool big = tiff[0] == 'M';
    size_t at = number(tiff + 4, 4, big);
    if (at > length || length - at < 2)
        return;
    size_t count = number(tiff + at, 2, big), room = (length - at - 2) / ENTRY;
    for (size_t i = 0; i < count && i < room; i++) {
        uint8_t *entry = tiff + at + 2 + i * ENTRY;
        if (number(entry, 2, big) == TAG && number(entry + 2, 2, big) == SHORT && number(entry + 4, 4, big) == 1) {
            entry[8] = big ? 0 : orientation;
            entry[9] = big ? orientation : 0;
            return;
        }
    }
}

sdimage_status sdsrc_exif(const sdimage_encode_options *options, sdimage_orientation orientation, sdsrc_block *exif,
                          sdimage_error **error) {
    static const char prefix[6] = "Exif\0";
    const sdimage_data *data = sdimage_encode_options_exif(options);
    *exif = (sdsrc_block){NULL, 0};
    if (!data)
        return SDIMAGE_STATUS_OK;
    const uint8_t *bytes = sdimage_data_bytes(data);
    size_t length = sdimage_data_length(data);
    size_t skip = length >= sizeof prefix && memcmp(bytes, prefix, sizeof prefix) == 0 ? sizeof prefix : 0;
    if (length - skip < 8 || (memcmp(bytes + skip, "II*", 4) != 0 && memcmp(bytes + skip, "MM\0*", 4) != 0))
        return sdmod_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "metadata: invalid EXIF block");
    if (length - skip > SDMOD_BLOCK_LIMIT)
        return sdmod_fail(error, SDIMAGE_STATUS_TOO_LARGE, "metadata: block exceeds the limit of 1 MiB");
    exif->bytes = malloc(length - skip);
    if (!exif->bytes)
        return sdmod_fail(error, SDIMAGE_STATUS_NO_MEMORY, "metadata: no memory for a block");
    exif->length = length - skip;
    memcpy(exif->bytes, bytes + skip, exif->length);
    replace_orientation(exif->bytes, exif->length, (uint8_t)orientation);
    return SDIMAGE_STATUS_OK;
}

void sdsrc_release_block(sdsrc_block *block) {
    free(block->bytes);
    *block = (sdsrc_block){NULL, 0};
}
