/* image.c: the way of a decoded image from planes to the library's image object, and the limits before it. All
 * functions run on the thread of a decode and have no state. */
#include "image.h"

#include <sched.h>

#include "pixel_format.h"

/* Code points of ITU-T H.273: unspecified, and the two transfers of high dynamic range. */
enum { UNSPECIFIED = 2, PQ = 16, HLG = 18 };

/* The default limit of the bytes of planes, and of the bitmap. */
static const size_t STANDARD_BYTES = (size_t)256 << 20;

/* NULL gives the defaults of the library. */
sdcs_request sdcs_request_of(const sdimage_decode_options *options) {
    sdcs_request request = {.format = SDIMAGE_PIXEL_FORMAT_AUTOMATIC,
                            .keeps_aspect_ratio = true,
                            .converts_to_srgb = true,
                            .max_pixels = SDCS_STANDARD_PIXELS,
                            .max_bytes = STANDARD_BYTES};
    if (!options)
        return request;
    request.format = sdimage_decode_options_pixel_format(options);
    request.box = sdimage_decode_options_thumbnail_size(options);
    request.keeps_aspect_ratio = sdimage_decode_options_thumbnail_mode(options) == SDIMAGE_SCALE_MODE_ASPECT_FIT;
    request.first_frame_only = sdimage_decode_options_is_first_frame_only(options);
    request.converts_to_srgb = sdimage_decode_options_should_convert_to_srgb(options);
    /* HDR is made of the base image and the map. */
    request.reads_gain_map = sdimage_decode_options_dynamic_range(options) != SDIMAGE_DYNAMIC_RANGE_SDR ||
                             sdimage_decode_options_should_keep_gain_map(options);
    request.max_pixels = sdimage_decode_options_max_pixels(options);
    request.max_bytes = sdimage_decode_options_max_bytes(options);
    request.budget = sdimage_decode_options_work_budget(options);
    return request;
}

sdimage_status sdcs_check_budget(const sdimage_work_budget *budget, sdimage_error **error) {
    sdimage_status status = sdimage_work_budget_check(budget);
    if (status == SDIMAGE_STATUS_OK)
        return status;
    return sdcs_fail(error, status,
                     status == SDIMAGE_STATUS_CANCELLED ? "task: cancelled" : "image: work exceeded its time limit");
}

/* Luma and both chroma planes, with 2 bytes for a sample of more than 8 bits. UINT64_MAX if the product overflows. */
uint64_t sdcs_plane_bytes(const sdcs_info *info) {
    uint64_t pixels = (uint64_t)info->width * info->height, size = info->bits > 8 ? 2 : 1;
    uint64_t quarters = 4 + (uint64_t)info->chroma;
    return pixels > UINT64_MAX / (quarters * size) ? UINT64_MAX : pixels * quarters * size / 4;
}

/* Reports that 16-bit output is useful for a high-depth image: it was requested, or HDR has yet to be tone-mapped. */
static bool is_wide(const sdcs_info *info, const sdcs_request *request) {
    if (info->bits <= 8)
        return false;
    switch (request->format) {
    case SDIMAGE_PIXEL_FORMAT_GRAY16:
    case SDIMAGE_PIXEL_FORMAT_RGB16:
    case SDIMAGE_PIXEL_FORMAT_RGBA16:
    case SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT:
    case SDIMAGE_PIXEL_FORMAT_NATIVE: return true;
    default: return request->converts_to_srgb && (info->transfer == PQ || info->transfer == HLG);
    }
}

/* Returns the format to write. Requests for four channels are fulfilled directly; the library does any other
 * conversion. */
static sdimage_pixel_format output_format(const sdcs_info *info, const sdcs_request *request) {
    bool gray = !info->chroma && !info->has_alpha && request->format != SDIMAGE_PIXEL_FORMAT_RGB8;
    bool four = info->has_alpha || request->format == SDIMAGE_PIXEL_FORMAT_RGBA8 ||
                request->format == SDIMAGE_PIXEL_FORMAT_RGBA16;
    if (is_wide(info, request))
        return four ? SDIMAGE_PIXEL_FORMAT_RGBA16 : gray ? SDIMAGE_PIXEL_FORMAT_GRAY16 : SDIMAGE_PIXEL_FORMAT_RGB16;
    return four ? SDIMAGE_PIXEL_FORMAT_RGBA8 : gray ? SDIMAGE_PIXEL_FORMAT_GRAY8 : SDIMAGE_PIXEL_FORMAT_RGB8;
}

bool sdcs_exceeds_bytes(uint64_t limit, uint32_t width, uint32_t height, sdimage_pixel_format format) {
    uint64_t row = ((uint64_t)width * sdimage_pixel_format_bytes(format) + 63) & ~(uint64_t)63;
    /* Divides, because the product could overflow. */
    return height && row > limit / height;
}

sdimage_status sdcs_check_limits(const sdcs_info *info, const sdcs_request *request, unsigned plane_sets,
                                 sdimage_error **error) {
    uint64_t pixels = (uint64_t)info->width * info->height;
    if (!pixels)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "decoder: image has no pixels");
    if (pixels > request->max_pixels)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "decoder: more pixels than max_pixels allows");
    /* The library shrinks the bitmap to the box: max_bytes applies to the result, and a fixed limit to the bitmap
     * before. */
    bool shrinks = request->box.width && request->box.height;
    if (sdcs_exceeds_bytes(shrinks ? STANDARD_BYTES : request->max_bytes, info->width, info->height,
                           output_format(info, request)))
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "decoder: bitmap has more bytes than max_bytes allows");
    /* Bytes of all planes for one pixel, in quarters. */
    uint64_t quarters = (4 + info->chroma + (info->has_alpha ? 4 : 0)) * (info->bits > 8 ? 2u : 1u) * plane_sets;
    if (pixels > (uint64_t)STANDARD_BYTES * 4 / quarters)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "decoder: planes exceed the limit of 256 MiB");
    return SDIMAGE_STATUS_OK;
}

sdimage_status sdcs_attach(const sdcs_info *info, const sdimage_image *plain, sdimage_image **image,
                           sdimage_error **error) {
    sdimage_metadata *metadata = NULL;
    sdimage_status status = sdimage_image_copy_metadata(plain, &metadata, error);
    if (status < 0)
        return status;
    status = sdcs_describe(info, metadata, error);
    if (status >= 0)
        status = sdimage_image_with_metadata(plain, metadata, image, error);
    sdimage_metadata_unref(metadata);
    return status;
}

sdimage_status sdcs_make_image(const sdyuv_planes *planes, const sdcs_info *info, const sdcs_request *request,
                               sdimage_image **image, sdimage_error **error) {
    sdimage_pixel_format format = output_format(info, request);
    bool wide = is_wide(info, request);
    sdyuv_matrix matrix;
    if (!sdyuv_matrix_make(&matrix, planes, info->color, wide))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "decoder: unknown color matrix or bit depth");
    sdimage_image *plain = NULL;
    void *bytes = NULL;
    size_t stride = 0;
    sdimage_status status =
        sdimage_image_new_uninitialized(planes->width, planes->height, format, &plain, &bytes, &stride, error);
    if (status < 0)
        return status;
    /* Every format that output_format returns has channels of equal size. */
    int channels = (int)(sdimage_pixel_format_bytes(format) / (wide ? 2 : 1));
    sdyuv_convert(planes, &matrix, &(sdyuv_pixels){bytes, stride, channels, wide});
    status = sdcs_attach(info, plain, image, error);
    sdimage_image_unref(plain);
    return status;
}

/* Reports that a block exists and is not over the limit. */
static bool is_within_limit(sdcs_span block) {
    return block.length > 0 && block.length <= SDCS_BLOCK_LIMIT;
}

/* Sets one block of the metadata to a copy. A missing or too long one is left out. */
static sdimage_status set_block(sdimage_metadata *metadata, sdcs_span block,
                                void (*set)(sdimage_metadata *, sdimage_data *), sdimage_error **error) {
    sdimage_data *data = NULL;
    if (!is_within_limit(block))
        return SDIMAGE_STATUS_OK;
    sdimage_status status = sdimage_data_new(block.bytes, block.length, &data, error);
    if (status >= 0)
        set(metadata, data);
    sdimage_data_unref(data);
    return status;
}

sdimage_status sdcs_describe(const sdcs_info *info, sdimage_metadata *metadata, sdimage_error **error) {
    bool swapped = sdcs_swaps_sides(info->orientation);
    uint32_t width = info->source_width ? info->source_width : info->width;
    uint32_t height = info->source_height ? info->source_height : info->height;
    sdimage_metadata_set_format(metadata, info->format);
    /* Sizes in metadata are those of the upright image. */
    sdimage_metadata_set_source_size(metadata, swapped ? height : width, swapped ? width : height);
    sdimage_metadata_set_orientation(metadata, info->orientation);
    sdimage_metadata_set_has_alpha(metadata, info->has_alpha);
    sdimage_metadata_set_frame_count(metadata, info->frame_count);
    sdimage_metadata_set_duration_ms(metadata, info->duration_ms);
    sdimage_metadata_set_bits_per_channel(metadata, info->bits);
    sdimage_metadata_set_channels(metadata, (info->chroma ? 3u : 1u) + (info->has_alpha ? 1u : 0u));
    sdimage_status status = set_block(metadata, info->exif, sdimage_metadata_set_exif, error);
    if (status >= 0)
        status = set_block(metadata, info->xmp, sdimage_metadata_set_xmp, error);
    if (status < 0)
        return status;
    /* A profile takes precedence over code points. */
    if (is_within_limit(info->profile))
        return set_block(metadata, info->profile, sdimage_metadata_set_color_profile, error);
    /* RGB of limited range is decoded to full range, as YCbCr is. */
    if (info->color.primaries != UNSPECIFIED || info->transfer != UNSPECIFIED)
        sdimage_metadata_set_cicp(metadata, info->color.primaries, info->transfer, info->color.matrix,
                                  info->color.full_range || info->color.matrix == 0);
    return SDIMAGE_STATUS_OK;
}

int sdcs_processors(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    /* Counts the processors that the process may use, as containers and taskset restrict them. Fails on machines with
     * more than 1024, where one thread is used. */
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return count < 1 ? 1 : count > 16 ? 16 : count;
}
