/* derived.c: images that libheif decodes, because the module itself decodes only H.265 and grids of it: identity
 * (`iden`), overlay (`iovl`), AV1 items, and grids of such.
 *
 * libheif trusts more of a file than this module does. sdheif_is_derived therefore walks the whole derivation before
 * libheif sees the file: number and size of all inputs, their bytes, and for H.265 each unit of their streams. */
#include "derived.h"

#include <sdimage/sys/coder.h>
#include <stdlib.h>
#include <string.h>

#include "exit_gate.h"
#include "hevc.h"
#include "library.h"
#include "picture_memory.h"

/* Limits: the coded images that an image is derived from, each counted as often as it is referenced; the depth of
 * derivation. */
enum { PART_LIMIT = 256, DEPTH_LIMIT = 2 };

/* The remaining allowance for decoding; `pixels` are those of all these images. */
typedef struct allowance {
    size_t parts; /* coded images */
    uint64_t bytes, pixels;
} allowance;

/* Reports that each extent has a length: libheif reads nothing for one without, which is the rest of the file. */
static bool has_lengths(const sdheif_container *c, const sdheif_item *item) {
    sdcs_span table = item->extents;
    uint64_t length;
    for (uint32_t i = 0; i < item->extent_count; i++)
        if (!sdcs_skip(&table, c->index_size + c->offset_size) || !sdcs_take(&table, c->length_size, &length) ||
            !length)
            return false;
    return true;
}

/* Counts the pictures of an item; false if its stream does not match its size, which libheif does not check.
 * `*pictures` is 1 for AV1, whose stream is not checked here. */
static bool count_pictures(const sdheif_container *c, const sdheif_item *item, uint32_t width, uint32_t height,
                           uint32_t *pictures) {
    *pictures = 1;
    return item->type != SDCS_FOURCC('h', 'v', 'c', '1') ||
           (has_lengths(c, item) &&
            sdheif_check_stream(c, item, (sdheif_coded){width, height, 1}, pictures, NULL) >= 0);
}

/* Deducts one coded image; false if the allowance is exceeded, the image has no size, or its stream does not match
 * it. */
static bool take_part(const sdheif_container *c, const sdheif_item *item, allowance *left) {
    bool is_hevc = item->type == SDCS_FOURCC('h', 'v', 'c', '1');
    uint32_t type = is_hevc ? SDCS_FOURCC('h', 'v', 'c', 'C') : SDCS_FOURCC('a', 'v', '1', 'C');
    uint64_t bytes = sdheif_coded_length(c, item, type), pixels;
    sdcs_span size;
    uint32_t width, height, pictures;
    if (!sdheif_find_property(c, item, SDCS_FOURCC('i', 's', 'p', 'e'), &size) || !sdcs_skip(&size, 4) ||
        !sdcs_take32(&size, &width) || !sdcs_take32(&size, &height))
        return false;
    pixels = (uint64_t)width * height;
    if (!left->parts || bytes > left->bytes || pixels > left->pixels)
        return false;
    /* libheif has all pictures of an item decoded. */
    if (!count_pictures(c, item, width, height, &pictures) || (pixels && pictures > left->pixels / pixels))
        return false;
    left->parts--;
    left->bytes -= bytes;
    /* An item without a picture counts as one. */
    left->pixels -= pixels * (pictures ? pictures : 1);
    return true;
}

/* Reports that libheif finds the items that were checked: it reads the last table of items, and of two items with one
 * id the first. */
static bool is_unambiguous(const sdheif_container *c) {
    sdcs_span rest = c->file;
    sdcs_box box;
    size_t tables = 0;
    while (sdcs_next_box(&rest, &box))
        tables += box.type == SDCS_FOURCC('m', 'e', 't', 'a');
    for (size_t i = 1; i < c->item_count; i++)
        if (c->items[i].id == c->items[i - 1].id)
            return false;
    return tables == 1;
}

/* Walks an item and all that it is derived from; false if one of them is missing, of another type, or beyond the
 * allowance. `depth` counts the levels of derivation that may still follow, so that references in a circle end. */
static bool is_decodable(const sdheif_container *c, const sdheif_item *item, int depth, allowance *left) {
    uint32_t parts[PART_LIMIT];
    switch (item->type) {
    case SDCS_FOURCC('h', 'v', 'c', '1'):
    case SDCS_FOURCC('a', 'v', '0', '1'): return take_part(c, item, left);
    case SDCS_FOURCC('i', 'd', 'e', 'n'): /* another image with its own transformations */
    case SDCS_FOURCC('i', 'o', 'v', 'l'): /* several images on a canvas */
    case SDCS_FOURCC('g', 'r', 'i', 'd'): break;
    default: return false;
    }
    size_t count = sdheif_references(c, SDCS_FOURCC('d', 'i', 'm', 'g'), item->id, parts, PART_LIMIT);
    if (!count || count > PART_LIMIT || !depth || sdimage_work_budget_check(c->budget) != SDIMAGE_STATUS_OK)
        return false;
    for (size_t i = 0; i < count; i++) {
        const sdheif_item *part = sdheif_find_item(c, parts[i]);
        if (!part || !is_decodable(c, part, depth - 1, left))
            return false;
    }
    return true;
}

/* The auxiliary images of the item count too: libheif decodes alpha with it. */
bool sdheif_is_derived(const sdheif_container *c, const sdheif_item *item) {
    allowance left = {PART_LIMIT, sdheif_most_coded(c), SDHEIF_MOST_PIXELS};
    uint32_t ids[PART_LIMIT];
    if (item->type == SDCS_FOURCC('h', 'v', 'c', '1') || !is_unambiguous(c) ||
        !is_decodable(c, item, DEPTH_LIMIT, &left))
        return false;
    size_t count = sdheif_referrers(c, SDCS_FOURCC('a', 'u', 'x', 'l'), item->id, ids, PART_LIMIT);
    for (size_t i = 0; i < count; i++) {
        const sdheif_item *other = sdheif_find_item(c, ids[i]);
        if (!other || !is_decodable(c, other, DEPTH_LIMIT, &left))
            return false;
    }
    return count < PART_LIMIT;
}

/* Converts a result of libheif's decoder. */
static sdimage_status check(struct heif_error result, sdimage_error **error) {
    return sdheif_check(result, SDIMAGE_STATUS_BAD_DATA, error);
}

/* Checks the size of the canvas, and sets libheif's own limit. libheif limits only the sides, so the check assumes a
 * square canvas. */
static sdimage_status check_size(struct heif_context *context, const sdcs_info *info, const sdcs_request *request,
                                 sdimage_error **error) {
    sdcs_info square = *info;
    if (square.width < square.height)
        square.width = square.height;
    square.height = square.width;
    sdimage_status status = sdcs_check_limits(&square, request, 1, error);
    if (status >= 0)
        sdheif_lib.context_set_maximum_image_size_limit(context, (int)square.width + 1);
    return status;
}

/* Copies libheif's interleaved pixels to an image of the library, with the metadata in `info`. The size is that of the
 * decoded image, which may differ from the announced one. */
static sdimage_status copy_pixels(const struct heif_image *decoded, const sdcs_info *info, sdimage_image **image,
                                  sdimage_error **error) {
    int stride = 0;
    const uint8_t *bytes = sdheif_lib.image_get_plane_readonly(decoded, heif_channel_interleaved, &stride);
    int width = sdheif_lib.image_get_width(decoded, heif_channel_interleaved);
    int height = sdheif_lib.image_get_height(decoded, heif_channel_interleaved);
    if (!bytes || stride <= 0 || width <= 0 || height <= 0 || (uint64_t)width * (uint64_t)height > UINT32_MAX)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "heif: plane is missing");
    sdimage_pixel_format format = info->has_alpha ? SDIMAGE_PIXEL_FORMAT_RGBA8 : SDIMAGE_PIXEL_FORMAT_RGB8;
    sdimage_image *plain = NULL;
    void *pixels = NULL;
    size_t step = 0;
    sdimage_status status =
        sdimage_image_new_uninitialized((uint32_t)width, (uint32_t)height, format, &plain, &pixels, &step, error);
    if (status < 0)
        return status;
    for (size_t y = 0; y < (size_t)height; y++)
        memcpy((uint8_t *)pixels + y * step, bytes + y * (size_t)stride,
               (size_t)width * sdimage_pixel_format_bytes(format));
    /* libheif has applied rotation and cropping: the pixels are upright. */
    sdcs_info displayed = *info;
    displayed.width = (uint32_t)width;
    displayed.height = (uint32_t)height;
    status = sdcs_attach(&displayed, plain, image, error);
    sdimage_image_unref(plain);
    return status;
}

/* Decodes to 8-bit RGB, or RGBA if the image has alpha. libheif applies rotation and cropping. */
static sdimage_status decode_pixels(const struct heif_image_handle *handle, const sdcs_info *info,
                                    sdimage_image **image, sdimage_error **error) {
    struct heif_decoding_options *options = sdheif_lib.decoding_options_alloc();
    struct heif_image *decoded = NULL;
    if (!options)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "heif: no memory for a decoder");
    options->convert_hdr_to_8bit = 1;
    /* Invalid input fails, instead of being decoded as far as possible with warnings. */
    options->strict_decoding = 1;
    enum heif_chroma chroma = info->has_alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB;
    /* Bounds the pictures of the decoders that libheif makes (picture_memory.h). */
    sdheif_begin_limit();
    sdimage_status status =
        check(sdheif_lib.decode_image(handle, &decoded, heif_colorspace_RGB, chroma, options), error);
    sdheif_end_limit();
    if (status >= 0)
        status = copy_pixels(decoded, info, image, error);
    if (decoded)
        sdheif_lib.image_release(decoded);
    sdheif_lib.decoding_options_free(options);
    return status;
}

/* Checks the announced size of the primary image, and decodes it. */
static sdimage_status decode_handle(struct heif_context *context, struct heif_image_handle *handle,
                                    const sdheif_container *container, const sdcs_request *request,
                                    sdimage_image **image, sdimage_error **error) {
    int width = sdheif_lib.image_handle_get_width(handle), height = sdheif_lib.image_handle_get_height(handle);
    if (width <= 0 || height <= 0)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "heif: image has no size");
    sdcs_info info = {.format = sdimage_sniff(container->file.bytes, container->file.length), .chroma = 8, .bits = 8};
    info.width = (uint32_t)width;
    info.height = (uint32_t)height;
    info.orientation = SDIMAGE_ORIENTATION_UP;
    info.has_alpha = sdheif_lib.image_handle_has_alpha_channel(handle) != 0;
    info.frame_count = 1;
    /* Unspecified (ITU-T H.273) without code points. libheif applies only their matrix and range. */
    sdheif_colors colors = {.color.primaries = 2, .transfer = 2};
    const sdheif_item *primary = sdheif_find_item(container, container->primary);
    if (primary)
        sdheif_read_colors(container, primary, &colors);
    info.color = (sdyuv_color){colors.color.primaries, 2, true};
    info.transfer = colors.transfer;
    sdimage_status status = check_size(context, &info, request, error);
    if (status < 0)
        return status;
    /* A profile over the limit is omitted, as it is without memory for it. */
    size_t length = sdheif_lib.image_handle_get_raw_color_profile_size(handle);
    uint8_t *profile = length && length <= SDCS_BLOCK_LIMIT ? malloc(length) : NULL;
    if (profile && sdheif_lib.image_handle_get_raw_color_profile(handle, profile).code == heif_error_Ok) {
        info.profile = (sdcs_span){profile, length};
    }
    status = decode_pixels(handle, &info, image, error);
    free(profile);
    return status;
}

/* Decodes with libheif, which is open. */
static sdimage_status decode(const sdheif_container *container, const sdcs_request *request, sdimage_image **image,
                             sdimage_error **error) {
    struct heif_context *context = sdheif_lib.context_alloc();
    if (!context)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "heif: no memory for a decoder");
    sdheif_lib.context_set_max_decoding_threads(context, sdcs_processors());
    struct heif_image_handle *handle = NULL;
    sdimage_status status = check(
        sdheif_lib.context_read_from_memory_without_copy(context, container->file.bytes, container->file.length, NULL),
        error);
    if (status >= 0)
        status = check(sdheif_lib.context_get_primary_image_handle(context, &handle), error);
    if (status >= 0)
        status = decode_handle(context, handle, container, request, image, error);
    if (handle)
        sdheif_lib.image_handle_release(handle);
    sdheif_lib.context_free(context);
    return status;
}

sdimage_status sdheif_decode_derived(const sdheif_container *container, const sdcs_request *request,
                                     sdimage_image **image, sdimage_error **error) {
    /* The status has the library decode the image again in a worker that has opened libheif before its sandbox
     * (sys/coder.h). */
    if (!sdheif_library_open() && sdimage_is_sandboxed())
        return sdcs_fail(error, SDIMAGE_STATUS_MODULE_MISSING,
                         "heif: " SDHEIF_SONAME " was not opened before the sandbox");
    if (!sdheif_library_open())
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED,
                         "heif: image coding needs " SDHEIF_SONAME ", which is not installed");
    sdimage_status status = sdcs_exit_gate_enter(error);
    if (status < 0)
        return status;
    status = decode(container, request, image, error);
    sdcs_exit_gate_leave();
    return status;
}
