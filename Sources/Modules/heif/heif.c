/* heif.c: the HEIF coder: H.265 stills, single and tiled.
 *
 * 1. heif_container.c reads the tables of items, and image_item.c the properties of the primary item: tiles, cropping,
 *    rotation, color and alpha.
 * 2. For a thumbnail, the smallest one in the file that is large enough is decoded instead of the image.
 * 3. planes.c decodes each item of the tiles once, several at a time, and assembles the planes. hevc.c passes the units
 *    of an item to libde265, after hevc_parameters.c has checked the size that the stream announces. picture_memory.c
 *    provides the memory, and finds missing slices.
 * 4. Alpha is decoded likewise; its luma becomes the alpha plane.
 * 5. The planes are cut to the displayed part, and yuv.c converts them to pixels in one pass.
 * 6. For renditions in HDR, the gain map is decoded likewise.
 *
 * Images derived from others are decoded by libheif (derived.c, library.c), which also encodes (encode.c).
 *
 * The library opens this module on the first bytes of the format and calls the table at the end of this file. Decodes,
 * encodes and descriptions run on detached threads (coder.h, detached_stack). Calls may run concurrently: each has a
 * container and decoders of its own. libde265's tables, libheif and the count of limits in picture_memory.c are shared
 * by the process. */
#include <sdimage/plugins/heif.h>

#include <libde265/de265.h>
#include <stdlib.h>

#include "encode.h"
#include "derived.h"
#include "heif_blocks.h"
#include "heif_gain_map.h"
#include "module_path.h"
#include "picture_memory.h"
#include "planes.h"

/* Reduces the planes to the displayed part, alpha included. With halved chroma it begins only at even positions. */
static void cut(sdyuv_planes *planes, const sdheif_image *p) {
    size_t size = planes->depth > 8 ? 2 : 1;
    size_t x = planes->shift_x ? p->left & ~1u : p->left, y = planes->shift_y ? p->top & ~1u : p->top;
    planes->luma += y * planes->luma_stride + x * size;
    if (planes->cb) {
        planes->cb += (y >> planes->shift_y) * planes->cb_stride + (x >> planes->shift_x) * size;
        planes->cr += (y >> planes->shift_y) * planes->cr_stride + (x >> planes->shift_x) * size;
    }
    if (planes->alpha)
        planes->alpha += y * planes->alpha_stride + x * (planes->alpha_depth > 8 ? 2 : 1);
    planes->width = p->displayed_width;
    planes->height = p->displayed_height;
}

/* Uses the stream's color encoding if the container has no code points. A profile does not replace it: the matrix from
 * luma and chroma to RGB is not part of a profile. */
static void resolve_color(sdcs_info *info, const sdheif_image *p, const sdheif_planes *decoded) {
    if (p->colors.has_codes)
        return;
    info->color = decoded->color;
    info->transfer = decoded->transfer;
}

/* Decodes alpha: an image of its own in the same size, of which luma is used. Both are held at once. */
static sdimage_status add_alpha(const sdheif_container *c, const sdheif_image *p, sdyuv_planes *planes,
                                sdheif_planes *alpha, sdimage_error **error) {
    sdheif_image alpha_image;
    sdimage_status status = sdheif_image_read(c, p->alpha, &alpha_image, error);
    if (status >= 0 && (alpha_image.width != p->width || alpha_image.height != p->height))
        status = sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "heif: alpha and image differ in size");
    if (status >= 0)
        /* The planes of the image are held meanwhile, and count towards the limit. */
        status = sdheif_decode_planes(c, &alpha_image, sdheif_stored_bytes(p), alpha, error);
    sdheif_image_release(&alpha_image);
    if (status < 0)
        return status;
    planes->alpha = alpha->planes.luma;
    planes->alpha_stride = alpha->planes.luma_stride;
    planes->alpha_depth = alpha->planes.depth;
    planes->premultiplied = p->premultiplied;
    return status;
}

/* Decodes one image item with its alpha. `source` has the size of the original if this item is its thumbnail. */
static sdimage_status decode_image(const sdheif_container *c, const sdheif_image *p, const sdcs_request *request,
                                   const sdcs_info *source, sdimage_image **image, sdimage_error **error) {
    sdcs_info info = sdheif_info(c, p), stored = info;
    stored.width = p->width, stored.height = p->height;
    sdimage_status status = sdcs_check_limits(&info, request, 1, error);
    /* The cropped part is decoded too. */
    if (status >= 0)
        status = sdcs_check_limits(&stored, request, 1, error);
    if (status < 0)
        return status;
    /* Alpha must outlive the conversion, which reads its luma. */
    sdheif_planes decoded, alpha = {.owned = NULL};
    status = sdheif_decode_planes(c, p, 0, &decoded, error);
    if (status >= 0 && p->alpha)
        status = add_alpha(c, p, &decoded.planes, &alpha, error);
    if (status >= 0) {
        resolve_color(&info, p, &decoded);
        info.source_width = source->width;
        info.source_height = source->height;
        cut(&decoded.planes, p);
        status = sdcs_make_image(&decoded.planes, &info, request, image, error);
    }
    sdheif_release_planes(&alpha);
    sdheif_release_planes(&decoded);
    return status;
}

/* Decodes a thumbnail if one is large enough; falls back to the image if it is damaged. */
static sdimage_status decode_best(const sdheif_container *c, const sdheif_image *p, const sdcs_request *request,
                                  sdimage_image **image, sdimage_error **error) {
    sdcs_info source = sdheif_info(c, p);
    const sdheif_item *item = sdheif_thumbnail(c, p, request);
    /* Without `error`: a damaged thumbnail is no reason to fail. */
    if (item) {
        sdheif_image thumbnail;
        sdimage_status status = sdheif_image_read(c, item, &thumbnail, NULL);
        if (status >= 0)
            status = decode_image(c, &thumbnail, request, &source, image, NULL);
        sdheif_image_release(&thumbnail);
        if (status >= 0)
            return status;
        /* The thumbnail may have used up the time of the image. */
        status = sdcs_check_budget(c->budget, error);
        if (status < 0)
            return status;
    }
    return decode_image(c, p, request, &source, image, error);
}

/* Opens the primary item. The caller releases both, also after a failure. */
static sdimage_status open_primary(const void *bytes, size_t length, const sdimage_work_budget *budget,
                                   sdheif_container *c, sdheif_image *p, sdimage_error **error) {
    *p = (sdheif_image){.item = NULL};
    sdimage_status status = sdheif_container_open(c, bytes, length, budget, error);
    if (status < 0)
        return status;
    const sdheif_item *item = sdheif_find_item(c, c->primary);
    uint32_t base;
    /* The image is the base of a derived one with a gain map. */
    if (item && item->type == SDCS_FOURCC('t', 'm', 'a', 'p') &&
        sdheif_references(c, SDCS_FOURCC('d', 'i', 'm', 'g'), item->id, &base, 1) > 0)
        item = sdheif_find_item(c, base);
    return item ? sdheif_image_read(c, item, p, error)
                : sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "heif: primary item does not exist");
}

/* Passes an error to the caller, or releases it if the caller passed no pointer for it. */
static void pass_error(sdimage_error *why, sdimage_error **error) {
    if (error && why)
        *error = why;
    else
        sdimage_error_unref(why);
}

/* --- Gain maps. */

/* Reports that less than the stored image is displayed. */
static bool is_cropped(const sdheif_image *p) {
    return p->displayed_width != p->width || p->displayed_height != p->height;
}

/* Checks that the samples of a map cover the same area as the base image. Two cropped images are taken to be cropped
 * alike. */
static sdimage_status check_samples(const sdheif_image *map, const sdheif_image *base, sdimage_error **error) {
    if (is_cropped(map) != is_cropped(base))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "heif: gain map and image are cropped differently");
    return sdcs_check_gain_map(map->orientation, base->orientation, error);
}

/* Attaches the gain map to the base image, which stays as it is without one and with a damaged one. `*image` is
 * replaced by an image of the same pixels with the map. `is_as_stored`: the pixels are neither turned nor cropped. */
static void add_gain_map(const sdheif_container *c, const sdheif_image *p, const sdcs_request *request,
                         bool is_as_stored, sdimage_image **image) {
    sdheif_gain_map found = sdheif_find_gain_map(c, p->item->id);
    /* The samples are not a thumbnail of another image. */
    sdcs_info whole = {.source_width = 0};
    sdcs_request plain = sdcs_gain_map_request(request);
    sdheif_image samples_image;
    sdimage_image *samples = NULL;
    sdimage_gain_map *map = NULL;
    sdimage_error *why = NULL;
    if (!found.samples)
        return;
    sdimage_status status = sdheif_image_read(c, found.samples, &samples_image, &why);
    if (status >= 0 && !is_as_stored)
        status =
            sdcs_fail(&why, SDIMAGE_STATUS_UNSUPPORTED, "heif: gain map of a derived image that is turned or cropped");
    if (status >= 0)
        status = check_samples(&samples_image, p, &why);
    if (status >= 0)
        status = decode_image(c, &samples_image, &plain, &whole, &samples, &why);
    if (status >= 0)
        sdheif_make_gain_map(c, &found, samples, &map, &why);
    sdcs_finish_gain_map(image, map, why);
    sdimage_gain_map_unref(map);
    sdimage_image_unref(samples);
    sdheif_image_release(&samples_image);
}

/* Describes the gain map of a header, with a placeholder for its samples. Errors are ignored: a header without a
 * readable map has none. */
static void describe_gain_map(const sdheif_container *c, const sdheif_image *p, sdimage_metadata *metadata) {
    sdheif_gain_map found = sdheif_find_gain_map(c, p->item->id);
    sdimage_image *samples = NULL;
    sdimage_gain_map *map = NULL;
    if (found.samples && sdcs_gain_map_placeholder(&samples, NULL) >= 0 &&
        sdheif_make_gain_map(c, &found, samples, &map, NULL) >= 0)
        sdimage_metadata_set_gain_map(metadata, map);
    sdimage_gain_map_unref(map);
    sdimage_image_unref(samples);
}

/* --- The coder. */

/* Recognizes the brands of HEIC and of HEIF without a known codec. */
static bool can_decode(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    sdimage_format format = sdimage_sniff(bytes, length);
    return format == SDIMAGE_FORMAT_HEIC || format == SDIMAGE_FORMAT_HEIF;
}

/* Reads the outline of an image that libheif decodes; false if libheif turns or crops it. */
static bool is_left_as_stored(const sdheif_container *c, sdheif_image *p) {
    return sdheif_read_outline(c, p) && p->orientation == SDIMAGE_ORIENTATION_UP && !is_cropped(p);
}

/* Decodes the primary item, or a thumbnail of it that is large enough. */
static sdimage_status decode(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             sdimage_image **image, sdimage_error **error) {
    (void)user_data;
    sdcs_request request = sdcs_request_of(options);
    sdheif_container container;
    sdheif_image primary;
    sdimage_error *why = NULL;
    bool is_as_stored = true;
    sdimage_status status = open_primary(bytes, length, request.budget, &container, &primary, &why);
    if (status >= 0)
        status = decode_best(&container, &primary, &request, image, &why);
    /* Only items of another kind are left to libheif, never those that failed with damage or a limit. */
    else if (status == SDIMAGE_STATUS_UNSUPPORTED && primary.item && sdheif_is_derived(&container, primary.item)) {
        sdimage_error_unref(why);
        why = NULL;
        status = sdheif_decode_derived(&container, &request, image, &why);
        is_as_stored = is_left_as_stored(&container, &primary);
    }
    if (status >= 0 && sdcs_needs_gain_map(&request, *image))
        add_gain_map(&container, &primary, &request, is_as_stored, image);
    pass_error(why, error);
    sdheif_image_release(&primary);
    sdheif_container_close(&container);
    return status;
}

/* Reports the header without decoding pixels. */
static sdimage_status describe(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                               sdimage_metadata *metadata, sdimage_error **error) {
    (void)user_data;
    sdheif_container container;
    sdheif_image primary;
    sdimage_error *why = NULL;
    const sdimage_work_budget *budget = sdimage_decode_options_work_budget(options);
    sdimage_status status = open_primary(bytes, length, budget, &container, &primary, &why);
    if (status == SDIMAGE_STATUS_UNSUPPORTED && primary.item && sdheif_is_derived(&container, primary.item) &&
        sdheif_read_outline(&container, &primary)) {
        sdimage_error_unref(why);
        why = NULL;
        status = SDIMAGE_STATUS_OK;
    }
    if (status >= 0) {
        sdcs_info info = sdheif_info(&container, &primary);
        /* The metadata holds copies, so the blocks are released afterwards. */
        sdheif_blocks blocks = sdheif_find_blocks(&container, primary.item->id);
        info.exif = blocks.exif;
        info.xmp = blocks.xmp;
        status = sdcs_describe(&info, metadata, &why);
        if (status >= 0)
            describe_gain_map(&container, &primary, metadata);
        sdheif_release_blocks(&blocks);
    }
    pass_error(why, error);
    sdheif_image_release(&primary);
    sdheif_container_close(&container);
    return status;
}

/* The entry points of the coder, called by the library on its threads (sys/coder.h). */
static const sdimage_coder_vtable table = {
    .size = sizeof table,
    .can_decode = can_decode,
    .decode = decode,
    .can_encode = sdheif_can_encode,
    .encode = sdheif_encode,
    .describe = describe,
    .detached_stack = SDCS_STACK,
    .is_risky = true,
    .module = sdcs_module_path,
};

/* Balances de265_init, whose calls libde265 counts, when the coder is released. */
static void release_library(void *user_data) {
    (void)user_data;
    de265_free();
}

/* The function by which the library makes the coder after it has opened this module. */
SDIMAGE_API sdimage_status sdimage_heif_coder_new(sdimage_coder **coder, sdimage_error **error) {
    /* Makes the tables once, not for each image. */
    if (de265_init() != DE265_OK)
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "heif: libde265 could not be initialized");
    sdheif_replace_picture_memory();
    return sdimage_coder_new_custom("heif", &table, NULL, release_library, coder, error);
}
