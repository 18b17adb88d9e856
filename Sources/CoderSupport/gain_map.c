#include "gain_map.h"

#include <sdimage/diagnostics.h>
#include <stdio.h>

bool sdcs_needs_gain_map(const sdcs_request *request, const sdimage_image *base) {
    return request->reads_gain_map || sdimage_image_is_hdr(base);
}

sdcs_request sdcs_gain_map_request(const sdcs_request *request) {
    /* At full size and as stored: gains are no colors, and must not be converted. Limits and budget are those of the
     * image. */
    sdcs_request samples = sdcs_request_of(NULL);
    samples.converts_to_srgb = false;
    samples.first_frame_only = true;
    samples.max_pixels = request->max_pixels;
    samples.max_bytes = request->max_bytes;
    samples.budget = request->budget;
    return samples;
}

sdimage_status sdcs_check_gain_map(sdimage_orientation samples, sdimage_orientation image, sdimage_error **error) {
    /* A map without rotation is taken to lie over the stored base image. */
    if (samples == image || samples == SDIMAGE_ORIENTATION_UP)
        return SDIMAGE_STATUS_OK;
    return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "decode: gain map and image are turned differently");
}

/* Replaces the image by one of the same pixels with the map. Without memory for it the image stays as it is. */
static void attach(sdimage_image **image, const sdimage_gain_map *map) {
    sdimage_metadata *metadata = NULL;
    sdimage_image *whole = NULL;
    if (sdimage_image_copy_metadata(*image, &metadata, NULL) < 0)
        return;
    sdimage_metadata_set_gain_map(metadata, map);
    if (sdimage_image_with_metadata(*image, metadata, &whole, NULL) >= 0) {
        sdimage_image_unref(*image);
        *image = whole;
    }
    sdimage_metadata_unref(metadata);
}

void sdcs_finish_gain_map(sdimage_image **image, const sdimage_gain_map *map, sdimage_error *why) {
    char text[160];
    if (map) {
        attach(image, map);
    } else if (why) {
        snprintf(text, sizeof text, "decode: gain map is not used: %s", sdimage_error_message(why));
        sdimage_log_write(SDIMAGE_LOG_LEVEL_WARNING, text);
    }
    sdimage_error_unref(why);
}

sdimage_status sdcs_gain_map_placeholder(sdimage_image **samples, sdimage_error **error) {
    static const uint8_t sample = 0;
    return sdimage_image_new(1, 1, 1, SDIMAGE_PIXEL_FORMAT_GRAY8, &sample, samples, error);
}
