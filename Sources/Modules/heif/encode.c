/* encode.c: images to HEIC files, by libheif. One call of sdheif_encode is one job: a context of libheif, in which it
 *
 * 1. encodes the image with its colors and light level,
 * 2. adds a preview of at most 320 pixels if one was requested,
 * 3. adds EXIF and XMP,
 * 4. writes the file, and corrects the sizes in it.
 *
 * libheif is opened by sdheif_can_encode, which every encode calls first. The work budget is not checked: each call of
 * libheif encodes a whole image. */
#include "encode.h"

#include <sdimage/transform.h>
#include <stdlib.h>
#include <string.h>

#include "boxes.h"
#include "encode_input.h"
#include "exif_block.h"
#include "exit_gate.h"
#include "pixel_format.h"
#include "library.h"

/* The bounding box of a preview; bits per sample of a high-depth image by default. */
enum { PREVIEW_SIDE = 320, DEEP_BITS = 10 };

/* Converts a result of libheif's encoder. */
static sdimage_status check(struct heif_error result, sdimage_error **error) {
    return sdheif_check(result, SDIMAGE_STATUS_ENCODE_FAILED, error);
}

/* --- Pixels. */

/* Describes the colors by a profile, or by code points of ITU-T H.273 if the image has no profile. */
static sdimage_status set_colors(struct heif_image *heif, const sdimage_image *image, sdimage_error **error) {
    const sdimage_data *profile = sdimage_image_color_profile(image);
    if (profile)
        return check(sdheif_lib.image_set_raw_color_profile(heif, "prof", sdimage_data_bytes(profile),
                                                            sdimage_data_length(profile)),
                     error);
    struct heif_color_profile_nclx *color = sdheif_lib.nclx_color_profile_alloc();
    if (!color)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "heif: no memory for an encoder");
    sdcs_color said = sdcs_color_of(image);
    color->color_primaries = (enum heif_color_primaries)said.primaries;
    color->transfer_characteristics = (enum heif_transfer_characteristics)said.transfer;
    color->matrix_coefficients = (enum heif_matrix_coefficients)sdcs_matrix_of(image);
    /* The pixels are full range, and libheif converts them to luma and chroma accordingly. */
    color->full_range_flag = 1;
    sdimage_status status = check(sdheif_lib.image_set_nclx_color_profile(heif, color), error);
    sdheif_lib.nclx_color_profile_free(color);
    return status;
}

/* Sets the light level in cd/m² if the options have one; the encoder writes `clli`. */
static void set_light_level(struct heif_image *heif, const sdimage_encode_options *options) {
    struct heif_content_light_level level = {
        (uint16_t)sdimage_encode_options_max_content_light_level(options),
        (uint16_t)sdimage_encode_options_max_frame_average_light_level(options),
    };
    if (level.max_content_light_level || level.max_pic_average_light_level)
        sdheif_lib.image_set_content_light_level(heif, &level);
}

/* Makes libheif's image: gray has only luma, everything else is interleaved. The caller releases `*heif`, also after a
 * failure. */
static sdimage_status make_heif_image(const sdcs_encode_input *source, struct heif_image **heif,
                                      sdimage_error **error) {
    int width = (int)source->width, height = (int)source->height, stride = 0;
    bool gray = source->channels == 1, wide = source->bits > 8, alpha = source->channels == 4;
    enum heif_chroma chroma = gray    ? heif_chroma_monochrome
                              : wide  ? alpha ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RRGGBB_LE
                              : alpha ? heif_chroma_interleaved_RGBA
                                      : heif_chroma_interleaved_RGB;
    enum heif_channel channel = gray ? heif_channel_Y : heif_channel_interleaved;
    sdimage_status status = check(
        sdheif_lib.image_create(width, height, gray ? heif_colorspace_monochrome : heif_colorspace_RGB, chroma, heif),
        error);
    if (status < 0)
        return status;
    status = check(sdheif_lib.image_add_plane(*heif, channel, width, height, source->bits), error);
    uint8_t *plane = status < 0 ? NULL : sdheif_lib.image_get_plane(*heif, channel, &stride);
    if (status >= 0 && !plane)
        status = sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "heif: no memory for a plane");
    for (uint32_t y = 0; plane && y < source->height; y++)
        sdcs_encode_input_row(source, y, plane + (size_t)y * (size_t)stride);
    return status < 0 ? status : set_colors(*heif, source->image, error);
}

/* --- The file. */

/* Objects of libheif for one file; NULL until they are made. */
typedef struct job {
    struct heif_context *context;
    struct heif_encoder *encoder; /* the H.265 encoder, for image and preview */
    struct heif_encoding_options *options;
} job;

static void close_job(job *job) {
    if (job->options)
        sdheif_lib.encoding_options_free(job->options);
    if (job->encoder)
        sdheif_lib.encoder_release(job->encoder);
    if (job->context)
        sdheif_lib.context_free(job->context);
}

/* Sets a preset with x265's names; other encoders keep their default. */
static void set_effort(struct heif_encoder *encoder, uint32_t effort) {
    static const char *const presets[] = {"ultrafast", "superfast", "veryfast", "faster",  "fast",
                                          "medium",    "slow",      "slower",   "veryslow"};
    if (effort >= 1 && effort <= sizeof presets / sizeof *presets)
        (void)sdheif_lib.encoder_set_parameter_string(encoder, "preset", presets[effort - 1]);
}

/* Makes the objects of a job. The caller closes it, also after a failure. */
static sdimage_status open_job(job *job, const sdimage_encode_options *options, sdimage_error **error) {
    *job = (struct job){NULL, NULL, NULL};
    job->context = sdheif_lib.context_alloc();
    job->options = sdheif_lib.encoding_options_alloc();
    if (!job->context || !job->options)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "heif: no memory for an encoder");
    sdimage_status status =
        check(sdheif_lib.context_get_encoder_for_format(job->context, heif_compression_HEVC, &job->encoder), error);
    if (status < 0)
        return status;
    (void)sdheif_lib.encoder_set_logging_level(job->encoder, 0);
    set_effort(job->encoder, sdimage_encode_options_effort(options));
    /* The options have 0 to 1, libheif 0 to 100. */
    int quality = (int)(sdimage_encode_options_quality(options) * 100 + 0.5);
    return check(sdheif_lib.encoder_set_lossy_quality(job->encoder, quality), error);
}

/* Makes libheif's image of at most `bits` bits a sample. The caller releases `*heif`, also after a failure. */
static sdimage_status open_image(const sdimage_image *image, int bits, struct heif_image **heif,
                                 sdimage_error **error) {
    sdcs_encode_input source;
    sdimage_status status = sdcs_encode_input_open(&source, image, bits, error);
    if (status >= 0)
        status = make_heif_image(&source, heif, error);
    sdcs_encode_input_close(&source);
    return status;
}

/* Encodes the image itself. `*handle` refers to its item, for the items that are added later. */
static sdimage_status encode_one(job *job, const sdimage_image *image, const sdimage_encode_options *options,
                                 struct heif_image_handle **handle, sdimage_error **error) {
    struct heif_image *heif = NULL;
    sdimage_status status = open_image(image, sdcs_deep_bits(options, DEEP_BITS), &heif, error);
    if (status >= 0)
        set_light_level(heif, options);
    if (status >= 0)
        status = check(sdheif_lib.context_encode_image(job->context, heif, job->encoder, job->options, handle), error);
    if (heif)
        sdheif_lib.image_release(heif);
    return status;
}

/* --- The preview. libheif scales it without interpolation, in 8 bits and without a color profile. Therefore it
 * receives an image that is one pixel larger than the box, in sRGB. */

/* Returns a size whose longer side is one pixel larger than the box; 0 x 0 if the image itself fits into the box. */
static sdimage_size preview_size(const sdimage_image *image) {
    uint64_t width = sdimage_image_width(image), height = sdimage_image_height(image);
    uint64_t longer = width > height ? width : height, side = PREVIEW_SIDE + 1;
    if (longer <= PREVIEW_SIDE)
        return (sdimage_size){0, 0};
    uint32_t w = (uint32_t)(width * side / longer), h = (uint32_t)(height * side / longer);
    /* libheif needs two rows and columns. */
    return (sdimage_size){w < 2 ? 2 : w, h < 2 ? 2 : h};
}

/* Reduces the samples to 8 bits and keeps gray and alpha. */
static sdimage_status as_8_bits(const sdimage_image *image, sdimage_image **result, sdimage_error **error) {
    bool gray = sdimage_image_pixel_format(image) == SDIMAGE_PIXEL_FORMAT_GRAY16 ||
                sdimage_image_pixel_format(image) == SDIMAGE_PIXEL_FORMAT_GRAY8;
    sdimage_pixel_format format = gray                             ? SDIMAGE_PIXEL_FORMAT_GRAY8
                                  : sdimage_image_has_alpha(image) ? SDIMAGE_PIXEL_FORMAT_RGBA8
                                                                   : SDIMAGE_PIXEL_FORMAT_RGB8;
    return sdimage_image_convert(image, format, result, error);
}

/* Returns the image in sRGB. The library converts colors while it decodes, so the image takes a detour through a PNG of
 * the lowest effort. An image without a color description is sRGB already. */
static sdimage_status as_srgb(const sdimage_image *image, sdimage_image **result, sdimage_error **error) {
    if (!sdimage_image_color_profile(image) && !sdimage_image_color_primaries(image))
        return as_8_bits(image, result, error);
    sdimage_data *file = NULL;
    sdimage_encode_options *fast = sdimage_encode_options_new();
    sdimage_encode_options_set_effort(fast, 1);
    sdimage_status status = sdimage_encode(image, SDIMAGE_FORMAT_PNG, fast, &file, error);
    if (status >= 0)
        status = sdimage_decode(sdimage_data_bytes(file), sdimage_data_length(file), NULL, result, error);
    sdimage_encode_options_unref(fast);
    sdimage_data_unref(file);
    return status;
}

/* Scales the image without its orientation: the preview is stored like the image, and the options of the job give it
 * the same rotation. */
static sdimage_status make_preview(const sdimage_image *image, sdimage_size size, struct heif_image **heif,
                                   sdimage_error **error) {
    sdimage_image *stored = NULL, *small = NULL, *plain = NULL;
    sdimage_status status = sdcs_as_stored(image, &stored, error);
    if (status >= 0)
        status = sdimage_image_resize(stored, size.width, size.height, SDIMAGE_SCALE_MODE_FILL, &small, error);
    if (status >= 0)
        /* Scaled first: fewer pixels take the detour. */
        status = as_srgb(small, &plain, error);
    if (status >= 0)
        status = open_image(plain, 8, heif, error);
    sdimage_image_unref(plain);
    sdimage_image_unref(small);
    sdimage_image_unref(stored);
    return status;
}

/* Adds the preview; does nothing for an image that fits into its box. The reference between both comes from
 * heif_context_encode_thumbnail: heif_context_assign_thumbnail writes it in the wrong direction, and no reader finds
 * the preview. */
static sdimage_status add_preview(job *job, const sdimage_image *image, struct heif_image_handle *master,
                                  sdimage_error **error) {
    sdimage_size size = preview_size(image);
    if (!size.width)
        return SDIMAGE_STATUS_OK;
    struct heif_image *heif = NULL;
    struct heif_image_handle *handle = NULL;
    sdimage_status status = make_preview(image, size, &heif, error);
    if (status >= 0)
        status = check(sdheif_lib.context_encode_thumbnail(job->context, heif, master, job->encoder, job->options,
                                                           PREVIEW_SIDE, &handle),
                       error);
    if (handle)
        sdheif_lib.image_handle_release(handle);
    if (heif)
        sdheif_lib.image_release(heif);
    return status;
}

/* Adds EXIF, whose orientation tag is updated, and XMP, as items that describe the image. */
static sdimage_status add_blocks(job *job, const sdimage_encode_options *options, sdimage_orientation orientation,
                                 const struct heif_image_handle *master, sdimage_error **error) {
    const sdimage_data *xmp = NULL;
    sdcs_exif_block exif = {NULL, 0};
    sdimage_status status = sdcs_xmp_packet(options, &xmp, error);
    if (status >= 0)
        status = sdcs_exif_block_make(options, orientation, &exif, error);
    if (status >= 0 && exif.length)
        status = check(sdheif_lib.context_add_exif_metadata(job->context, master, exif.bytes, (int)exif.length), error);
    sdcs_exif_block_release(&exif);
    if (status >= 0 && xmp)
        status = check(sdheif_lib.context_add_XMP_metadata(job->context, master, sdimage_data_bytes(xmp),
                                                           (int)sdimage_data_length(xmp)),
                       error);
    return status;
}

/* The destination of the file, for the function that libheif calls. */
typedef struct sink {
    const sdimage_image *image; /* the image as stored, for its size and orientation */
    sdimage_data **data;
    sdimage_error **error;
    sdimage_status status; /* result of the copy */
} sink;

/* Exchanges the sides of each `ispe` (ISO/IEC 23008-12, 6.5.3) whose longer one is not that of the stored image. Before
 * 1.16, libheif writes the size after rotation, which belongs to no coded image. */
static void correct_sizes(uint8_t *file, size_t length, const sdimage_image *image) {
    bool is_wide = sdimage_image_width(image) > sdimage_image_height(image);
    sdcs_span meta, properties, container;
    sdcs_box box;
    if (!sdcs_find_box((sdcs_span){file, length}, SDCS_FOURCC('m', 'e', 't', 'a'), &meta) || !sdcs_skip(&meta, 4) ||
        !sdcs_find_box(meta, SDCS_FOURCC('i', 'p', 'r', 'p'), &properties) ||
        !sdcs_find_box(properties, SDCS_FOURCC('i', 'p', 'c', 'o'), &container))
        return;
    while (sdcs_next_box(&container, &box)) {
        uint32_t width, height;
        if (box.type != SDCS_FOURCC('i', 's', 'p', 'e') || !sdcs_skip(&box.body, 4))
            continue;
        /* Width and height, 4 bytes each. */
        uint8_t *sides = file + (box.body.bytes - file), first[4];
        if (!sdcs_take32(&box.body, &width) || !sdcs_take32(&box.body, &height) || width == height ||
            (width > height) == is_wide)
            continue;
        memcpy(first, sides, 4);
        memcpy(sides, sides + 4, 4);
        memcpy(sides + 4, first, 4);
    }
}

/* Copies the file, because libheif's bytes must not be changed, and corrects it. */
static sdimage_status make_corrected(const sink *sink, const void *bytes, size_t length) {
    uint8_t *file = malloc(length);
    if (!file)
        return sdcs_fail(sink->error, SDIMAGE_STATUS_NO_MEMORY, "heif: no memory for the file");
    memcpy(file, bytes, length);
    correct_sizes(file, length, sink->image);
    sdimage_status status = sdimage_data_new(file, length, sink->data, sink->error);
    free(file);
    return status;
}

/* Receives the whole file from libheif at once. The status is kept in the sink, and libheif is told that the write
 * succeeded. */
static struct heif_error write_file(struct heif_context *context, const void *bytes, size_t length, void *user_data) {
    (void)context;
    sink *sink = user_data;
    /* Without a rotation by a quarter turn, the size after rotation is that of the stored image. */
    bool turns = sdcs_swaps_sides(sdimage_image_orientation(sink->image));
    sink->status = turns && sdimage_image_width(sink->image) != sdimage_image_height(sink->image)
                       ? make_corrected(sink, bytes, length)
                       : sdimage_data_new(bytes, length, sink->data, sink->error);
    return (struct heif_error){heif_error_Ok, heif_suberror_Unspecified, ""};
}

/* Writes the file to `*data`. */
static sdimage_status finish(job *job, const sdimage_image *image, sdimage_data **data, sdimage_error **error) {
    sink sink = {image, data, error, SDIMAGE_STATUS_ENCODE_FAILED};
    struct heif_writer writer = {.writer_api_version = 1, .write = write_file};
    sdimage_status status = check(sdheif_lib.context_write(job->context, &writer, &sink), error);
    return status < 0 ? status : sink.status;
}

/* Encodes with libheif, which has an encoder. */
static sdimage_status encode(const sdimage_image *image, const sdimage_encode_options *options, sdimage_data **data,
                             sdimage_error **error) {
    job job;
    struct heif_image_handle *master = NULL;
    sdimage_orientation orientation = sdimage_image_orientation(image);
    sdimage_status status = open_job(&job, options, error);
    /* The version tells which fields the options of the opened libheif have. */
    if (status >= 0 && orientation != SDIMAGE_ORIENTATION_UP && job.options->version < 5)
        status =
            sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "heif: this version of libheif cannot store an orientation");
    if (status >= 0) {
        /* By default libheif stores code points in the H.265 stream alone, for old versions of macOS. Many decoders
         * read only the property, and libde265 reads no HLG. */
        if (job.options->version >= 4 && sdimage_image_transfer_characteristics(image))
            job.options->macOS_compatibility_workaround_no_nclx_profile = 0;
        if (job.options->version >= 5)
            job.options->image_orientation = (enum heif_orientation)orientation;
        status = encode_one(&job, image, options, &master, error);
    }
    if (status >= 0 && sdimage_encode_options_should_embed_thumbnail(options))
        status = add_preview(&job, image, master, error);
    if (status >= 0)
        status = add_blocks(&job, options, orientation, master, error);
    if (status >= 0)
        status = finish(&job, image, data, error);
    if (master)
        sdheif_lib.image_handle_release(master);
    close_job(&job);
    return status;
}

bool sdheif_can_encode(void *user_data, sdimage_format format) {
    (void)user_data;
    return (format == SDIMAGE_FORMAT_HEIC || format == SDIMAGE_FORMAT_HEIF) && sdheif_library_encodes();
}

sdimage_status sdheif_encode(void *user_data, const sdimage_image *image, sdimage_format format,
                             const sdimage_encode_options *options, sdimage_data **data, sdimage_error **error) {
    if (!sdheif_can_encode(user_data, format))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "heif: libheif has no H.265 encoder");
    if (sdimage_encode_options_is_lossless(options))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "heif: lossless encoding is not available");
    if (sdimage_encode_options_should_embed_gain_map(options))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "heif: gain maps are not written");
    sdimage_status status = sdcs_exit_gate_enter(error);
    if (status < 0)
        return status;
    status = encode(image, options, data, error);
    sdcs_exit_gate_leave();
    return status;
}
