/* request.c: the options for the image of an asset, and the sizes that follow from them (see request.h). */
#include "request.h"

#include <math.h>
#include <stdlib.h>

sdimage_photos_request_options *sdimage_photos_request_options_new(void) {
    sdimage_photos_request_options *options = sdphoto_new(SDPHOTO_REQUEST_OPTIONS, sizeof *options);
    if (!options)
        return NULL;
    options->resize = SDIMAGE_PHOTOS_RESIZE_FAST;
    options->has_network = true;
    return options;
}

sdimage_photos_request_options *sdimage_photos_request_options_ref(const sdimage_photos_request_options *options) {
    return sdphoto_ref(options, SDPHOTO_REQUEST_OPTIONS);
}

void sdimage_photos_request_options_unref(sdimage_photos_request_options *options) {
    if (sdphoto_unref(options, SDPHOTO_REQUEST_OPTIONS))
        free(options);
}

static bool is_options(const sdimage_photos_request_options *options) {
    return sdphoto_is(options, SDPHOTO_REQUEST_OPTIONS);
}

void sdimage_photos_request_options_set_delivery(sdimage_photos_request_options *options,
                                                 sdimage_photos_delivery delivery) {
    if (is_options(options))
        options->delivery = delivery;
}

void sdimage_photos_request_options_set_resize(sdimage_photos_request_options *options, sdimage_photos_resize resize) {
    if (is_options(options))
        options->resize = resize;
}

void sdimage_photos_request_options_set_version(sdimage_photos_request_options *options,
                                                sdimage_photos_version version) {
    if (is_options(options))
        options->version = version;
}

void sdimage_photos_request_options_set_content(sdimage_photos_request_options *options,
                                                sdimage_photos_content content) {
    if (is_options(options))
        options->content = content;
}

void sdimage_photos_request_options_set_network_access(sdimage_photos_request_options *options, bool allowed) {
    if (is_options(options))
        options->has_network = allowed;
}

/* Sets the target, and the size, which only a box has. */
static void set_target(sdimage_photos_request_options *options, sdimage_photos_target target, sdimage_size size) {
    if (!is_options(options))
        return;
    options->target = target;
    options->size = size;
}

void sdimage_photos_request_options_set_target_maximum(sdimage_photos_request_options *options) {
    set_target(options, SDIMAGE_PHOTOS_TARGET_MAXIMUM, (sdimage_size){0, 0});
}

void sdimage_photos_request_options_set_target_pixel_size(sdimage_photos_request_options *options) {
    set_target(options, SDIMAGE_PHOTOS_TARGET_PIXEL_SIZE, (sdimage_size){0, 0});
}

void sdimage_photos_request_options_set_target_point_size(sdimage_photos_request_options *options) {
    set_target(options, SDIMAGE_PHOTOS_TARGET_POINT_SIZE, (sdimage_size){0, 0});
}

void sdimage_photos_request_options_set_target(sdimage_photos_request_options *options, uint32_t width,
                                               uint32_t height) {
    set_target(options, SDIMAGE_PHOTOS_TARGET_BOX, (sdimage_size){width, height});
}

sdimage_photos_target sdimage_photos_request_options_target(const sdimage_photos_request_options *options) {
    return is_options(options) ? options->target : SDIMAGE_PHOTOS_TARGET_MAXIMUM;
}

sdimage_size sdimage_photos_request_options_target_size(const sdimage_photos_request_options *options) {
    return is_options(options) ? options->size : (sdimage_size){0, 0};
}

sdimage_photos_delivery sdimage_photos_request_options_delivery(const sdimage_photos_request_options *options) {
    return is_options(options) ? options->delivery : SDIMAGE_PHOTOS_DELIVERY_OPPORTUNISTIC;
}

sdimage_photos_resize sdimage_photos_request_options_resize(const sdimage_photos_request_options *options) {
    return is_options(options) ? options->resize : SDIMAGE_PHOTOS_RESIZE_FAST;
}

sdimage_photos_version sdimage_photos_request_options_version(const sdimage_photos_request_options *options) {
    return is_options(options) ? options->version : SDIMAGE_PHOTOS_VERSION_CURRENT;
}

sdimage_photos_content sdimage_photos_request_options_content(const sdimage_photos_request_options *options) {
    return is_options(options) ? options->content : SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT;
}

bool sdimage_photos_request_options_has_network_access(const sdimage_photos_request_options *options) {
    return !is_options(options) || options->has_network;
}

/* --- Sizes. */

/* Divides a side by the scale of a screen; at least one pixel. */
static uint32_t in_points(uint32_t side, double scale) {
    /* A scale below 1 counts as 1. */
    double points = round(side / (scale >= 1 ? scale : 1));
    return points < 1 ? 1 : (uint32_t)points;
}

sdphoto_bounds sdphoto_bounds_of(const sdimage_decode_options *decode, const sdimage_photos_request_options *options,
                                 sdimage_size pixels) {
    sdimage_size thumbnail = decode ? sdimage_decode_options_thumbnail_size(decode) : (sdimage_size){0, 0};
    /* The thumbnail size of the request has precedence over the target. */
    if (thumbnail.width && thumbnail.height)
        return (sdphoto_bounds){thumbnail,
                                sdimage_decode_options_thumbnail_mode(decode) == SDIMAGE_SCALE_MODE_ASPECT_FIT
                                    ? SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT
                                    : SDIMAGE_PHOTOS_CONTENT_ASPECT_FILL};
    sdphoto_bounds bounds = {{0, 0}, sdimage_photos_request_options_content(options)};
    if (!is_options(options) || options->resize == SDIMAGE_PHOTOS_RESIZE_NONE)
        return bounds;
    /* The scale of the request, for sizes in points. */
    double scale = decode ? sdimage_decode_options_scale(decode) : 1;
    switch (options->target) {
    case SDIMAGE_PHOTOS_TARGET_PIXEL_SIZE: bounds.box = pixels; break;
    case SDIMAGE_PHOTOS_TARGET_POINT_SIZE:
        if (pixels.width && pixels.height)
            bounds.box = (sdimage_size){in_points(pixels.width, scale), in_points(pixels.height, scale)};
        break;
    case SDIMAGE_PHOTOS_TARGET_BOX: bounds.box = options->size; break;
    default: break;
    }
    return bounds;
}

sdimage_size sdphoto_size_of(sdphoto_bounds bounds, sdimage_size pixels) {
    sdimage_size whole = {0, 0};
    if (!bounds.box.width || !bounds.box.height)
        return whole;
    if (bounds.content == SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT || !pixels.width || !pixels.height)
        return bounds.box;
    double across = (double)bounds.box.width / pixels.width, down = (double)bounds.box.height / pixels.height;
    double scale = across > down ? across : down;
    /* Images are never enlarged. */
    if (scale >= 1)
        return whole;
    /* The limiting side is exact; the other one is rounded up, so that the image covers the box. */
    return across > down ? (sdimage_size){bounds.box.width, (uint32_t)ceil(pixels.height * scale)}
                         : (sdimage_size){(uint32_t)ceil(pixels.width * scale), bounds.box.height};
}
