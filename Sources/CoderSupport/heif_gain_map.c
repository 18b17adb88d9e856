/* heif_gain_map.c: the two ways in which HEIF files store gain maps. The standard one is a derived image `tmap`, whose
 * inputs are the base image and the map, and whose data are the parameters. Apple's is an auxiliary image; its
 * parameters are in the EXIF block. */
#include "heif_gain_map.h"

#include "heif_blocks.h"

#include <stdlib.h>
#include <string.h>

/* Limit of the examined items that refer to an image. */
enum { RELATED_LIMIT = 16 };

static const char apple[] = "urn:com:apple:photo:2020:aux:hdrgainmap";

/* Returns the samples of a derived image with a base and a map; NULL for other items, and if the base is another
 * image. */
static const sdheif_item *samples_of(const sdheif_container *c, const sdheif_item *item, uint32_t base) {
    uint32_t inputs[2];
    if (!item || item->type != SDCS_FOURCC('t', 'm', 'a', 'p') ||
        sdheif_references(c, SDCS_FOURCC('d', 'i', 'm', 'g'), item->id, inputs, 2) != 2 || inputs[0] != base)
        return NULL;
    return sdheif_find_item(c, inputs[1]);
}

sdheif_gain_map sdheif_find_gain_map(const sdheif_container *c, uint32_t image) {
    uint32_t ids[RELATED_LIMIT];
    /* The standard form takes precedence over Apple's. */
    size_t count = sdheif_referrers(c, SDCS_FOURCC('d', 'i', 'm', 'g'), image, ids, RELATED_LIMIT);
    for (size_t i = 0; i < count; i++) {
        const sdheif_item *item = sdheif_find_item(c, ids[i]), *samples = samples_of(c, item, image);
        if (samples)
            return (sdheif_gain_map){image, samples, item};
    }
    count = sdheif_referrers(c, SDCS_FOURCC('a', 'u', 'x', 'l'), image, ids, RELATED_LIMIT);
    for (size_t i = 0; i < count; i++) {
        const sdheif_item *item = sdheif_find_item(c, ids[i]);
        if (item && sdheif_is_auxiliary(c, item, apple))
            return (sdheif_gain_map){image, item, NULL};
    }
    return (sdheif_gain_map){image, NULL, NULL};
}

/* Describes the colors of the other rendition, which are those of the derived image. */
static sdimage_status set_colors(const sdheif_container *c, const sdheif_item *tone_map, sdimage_metadata *metadata,
                                 sdimage_error **error) {
    sdheif_colors colors = {.has_codes = false};
    sdheif_read_colors(c, tone_map, &colors);
    sdimage_metadata_set_color_profile(metadata, NULL);
    /* Removes the colors of the samples. */
    sdimage_metadata_set_cicp(metadata, UINT32_MAX, 0, 0, false);
    if (colors.has_codes)
        sdimage_metadata_set_cicp(metadata, colors.color.primaries, colors.transfer, colors.color.matrix,
                                  colors.color.full_range);
    sdimage_data *profile = NULL;
    if (!colors.profile.length || colors.profile.length > SDCS_BLOCK_LIMIT)
        return SDIMAGE_STATUS_OK;
    sdimage_status status = sdimage_data_new(colors.profile.bytes, colors.profile.length, &profile, error);
    sdimage_metadata_set_color_profile(metadata, profile);
    sdimage_data_unref(profile);
    return status;
}

/* Makes a map of a `tmap`. Its data begin with a version; the rest is that of ISO 21496-1, which the library parses. */
static sdimage_status make_of_tone_map(const sdheif_container *c, const sdheif_item *tone_map,
                                       const sdimage_image *samples, sdimage_gain_map **map, sdimage_error **error) {
    sdimage_metadata *metadata = NULL;
    sdimage_image *described = NULL;
    sdheif_bytes bytes;
    uint64_t version;
    sdimage_status status = sdheif_item_bytes(c, tone_map, &bytes, error);
    if (status >= 0 && (!sdcs_take(&bytes.span, 1, &version) || version != 0))
        status = sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "heif: unknown version of a gain map");
    if (status >= 0)
        /* The library takes the colors of the other rendition from the image of the samples. */
        status = sdimage_image_copy_metadata(samples, &metadata, error);
    if (status >= 0)
        status = set_colors(c, tone_map, metadata, error);
    if (status >= 0)
        status = sdimage_image_with_metadata(samples, metadata, &described, error);
    if (status >= 0)
        status = sdimage_gain_map_new(described, bytes.span.bytes, bytes.span.length, map, error);
    sdimage_image_unref(described);
    sdimage_metadata_unref(metadata);
    sdheif_release_bytes(&bytes);
    return status;
}

sdimage_status sdheif_make_gain_map(const sdheif_container *c, const sdheif_gain_map *found,
                                    const sdimage_image *samples, sdimage_gain_map **map, sdimage_error **error) {
    if (found->tone_map)
        return make_of_tone_map(c, found->tone_map, samples, map, error);
    sdheif_blocks blocks = sdheif_find_blocks(c, found->base);
    sdimage_status status = sdimage_gain_map_new_apple(samples, blocks.exif.bytes, blocks.exif.length, map, error);
    sdheif_release_blocks(&blocks);
    return status;
}

uint8_t *sdheif_copy_with_primary(const sdheif_container *c, uint32_t item) {
    sdcs_span meta, body;
    uint32_t version, flags;
    /* The file was read before, so the boxes exist. */
    if (!sdcs_find_box(c->file, SDCS_FOURCC('m', 'e', 't', 'a'), &meta) || !sdcs_skip(&meta, 4) ||
        !sdcs_find_box(meta, SDCS_FOURCC('p', 'i', 't', 'm'), &body) || !sdcs_take_version(&body, &version, &flags))
        return NULL;
    size_t size = version ? 4 : 2;
    if (body.length < size || (size == 2 && item > UINT16_MAX) || c->file.length > SDCS_WORKING_BYTES)
        return NULL;
    uint8_t *copy = malloc(c->file.length);
    if (!copy)
        return NULL;
    memcpy(copy, c->file.bytes, c->file.length);
    /* The id in `pitm`, big-endian. */
    for (size_t i = 0; i < size; i++)
        copy[(size_t)(body.bytes - c->file.bytes) + i] = (uint8_t)(item >> 8 * (size - 1 - i));
    return copy;
}
