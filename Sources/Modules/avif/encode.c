/* encode.c: images to AVIF files. One call of sdavif_encode makes one file:
 *
 * 1. encode_input.c converts the image to 8 bits or to native 16-bit samples, with its alpha if it has one.
 * 2. fill converts it to planes, and sets colors, EXIF, XMP and orientation.
 * 3. write_file compresses the planes with the AV1 encoder of libavif, on up to 16 threads.
 * 4. light_level.c adds the light level to files of libavif before 1.0.
 *
 * The work budget is not checked: libavif encodes in one call. */
#include "encode.h"

#include <avif/avif.h>
#include <string.h>

#include "encode_input.h"
#include "exif_block.h"
#include "light_level.h"

/* libavif 1.0 renamed the mode of a mirror to its axis, and reports allocation failures. */
#if AVIF_VERSION >= 1000000
#define MIRROR_OF(image) ((image)->imir.axis)
#define SET(call) (call)
#else
#define MIRROR_OF(image) ((image)->imir.mode)
#define SET(call) ((call), AVIF_RESULT_OK)
#endif

/* libavif's worst quantizer; its default speed; its fastest speed, of 0 to 10. */
enum { WORST = 63, STANDARD_SPEED = 6, FASTEST = 10 };

/* Bits per sample of a high-depth image by default, as in the main profiles of AV1. */
enum { DEEP_BITS = 10 };

/* Converts a result to a status, with the message of the encoder, which may be NULL. Results without a case are
 * failures of the encoder. */
static sdimage_status check(avifResult result, const avifEncoder *encoder, sdimage_error **error) {
    const char *detail = encoder && encoder->diag.error[0] ? encoder->diag.error : avifResultToString(result);
    switch (result) {
    case AVIF_RESULT_OK: return SDIMAGE_STATUS_OK;
    case AVIF_RESULT_OUT_OF_MEMORY: return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, detail);
    case AVIF_RESULT_NO_CODEC_AVAILABLE:
    case AVIF_RESULT_UNSUPPORTED_DEPTH:
    case AVIF_RESULT_NOT_IMPLEMENTED: return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, detail);
    default: return sdcs_fail(error, SDIMAGE_STATUS_ENCODE_FAILED, detail);
    }
}

/* --- The image. */

/* Sets `irot`, then `imir` (ISO/IEC 23000-22, 7.3.6.7). */
static void set_orientation(avifImage *avif, sdimage_orientation orientation) {
    /* Indexed by the EXIF orientation: counter-clockwise quarter turns; 1 if top and bottom are exchanged. */
    static const uint8_t turns[] = {0, 0, 2, 2, 0, 1, 3, 3, 1}, mirrors[] = {0, 0, 1, 0, 1, 1, 0, 1, 0};
    if (orientation < SDIMAGE_ORIENTATION_UP || orientation > SDIMAGE_ORIENTATION_LEFT)
        return;
    avif->transformFlags &= ~(avifTransformFlags)(AVIF_TRANSFORM_IROT | AVIF_TRANSFORM_IMIR);
    if (turns[orientation]) {
        avif->transformFlags |= AVIF_TRANSFORM_IROT;
        avif->irot.angle = turns[orientation];
    }
    if (mirrors[orientation]) {
        avif->transformFlags |= AVIF_TRANSFORM_IMIR;
        MIRROR_OF(avif) = 0;
    }
}

/* Sets the color encoding. A profile describes the colors completely, and leaves primaries and transfer unspecified. */
static sdimage_status set_colors(avifImage *avif, const sdimage_image *image, bool lossless, sdimage_error **error) {
    sdcs_color color = sdcs_color_of(image);
    const sdimage_data *profile = sdimage_image_color_profile(image);
    avif->colorPrimaries = profile ? AVIF_COLOR_PRIMARIES_UNSPECIFIED : color.primaries;
    avif->transferCharacteristics = profile ? AVIF_TRANSFER_CHARACTERISTICS_UNSPECIFIED : color.transfer;
    /* Full range keeps all levels of the pixels, which are full range too. */
    avif->yuvRange = AVIF_RANGE_FULL;
    /* Identity stores green, blue and red as planes, without the rounding of a conversion. */
    avif->matrixCoefficients = lossless && avif->yuvFormat != AVIF_PIXEL_FORMAT_YUV400
                                   ? AVIF_MATRIX_COEFFICIENTS_IDENTITY
                                   : (avifMatrixCoefficients)sdcs_matrix_of(image);
    if (!profile)
        return SDIMAGE_STATUS_OK;
    const uint8_t *bytes = sdimage_data_bytes(profile);
    return check(SET(avifImageSetProfileICC(avif, bytes, sdimage_data_length(profile))), NULL, error);
}

#if AVIF_VERSION >= 1000000
/* libavif since 1.0 writes `clli` itself; before, it is added to the finished file. */
static void set_light_level(avifImage *avif, const sdimage_encode_options *options) {
    avif->clli.maxCLL = (uint16_t)sdimage_encode_options_max_content_light_level(options);
    avif->clli.maxPALL = (uint16_t)sdimage_encode_options_max_frame_average_light_level(options);
}

static sdimage_status add_light_level(avifRWData *file, const sdimage_encode_options *options, sdimage_error **error) {
    (void)file, (void)options, (void)error;
    return SDIMAGE_STATUS_OK;
}
#else
static void set_light_level(avifImage *avif, const sdimage_encode_options *options) {
    (void)avif, (void)options;
}

static sdimage_status add_light_level(avifRWData *file, const sdimage_encode_options *options, sdimage_error **error) {
    uint32_t content = sdimage_encode_options_max_content_light_level(options);
    uint32_t average = sdimage_encode_options_max_frame_average_light_level(options);
    return content || average ? sdavif_add_light_level(file, content, average, error) : SDIMAGE_STATUS_OK;
}
#endif

/* Copies gray rows to the luma plane, which has as many bits as the source. */
static sdimage_status fill_gray(avifImage *avif, const sdcs_encode_input *source, sdimage_error **error) {
    sdimage_status status = check(avifImageAllocatePlanes(avif, AVIF_PLANES_YUV), NULL, error);
    uint8_t *plane = avif->yuvPlanes[AVIF_CHAN_Y];
    if (status >= 0 && !plane)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "avif: no memory for a plane");
    for (uint32_t y = 0; status >= 0 && y < source->height; y++)
        sdcs_encode_input_row(source, y, plane + (size_t)y * avif->yuvRowBytes[AVIF_CHAN_Y]);
    return status;
}

/* Converts directly from the pixels in place; libavif reduces 16-bit samples. */
static sdimage_status fill_color(avifImage *avif, const sdcs_encode_input *source, sdimage_error **error) {
    avifRGBImage pixels;
    avifRGBImageSetDefaults(&pixels, avif);
    pixels.format = source->channels == 4 ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
    pixels.depth = source->bits == 8 ? 8 : 16;
    pixels.chromaDownsampling = AVIF_CHROMA_DOWNSAMPLING_AVERAGE;
    /* The library only reads them, though its field is not const. */
    pixels.pixels = (uint8_t *)(uintptr_t)sdimage_image_pixels(source->image);
    pixels.rowBytes = (uint32_t)sdimage_image_stride(source->image);
    return check(avifImageRGBToYUV(avif, &pixels), NULL, error);
}

/* Adds EXIF and XMP of the options. libavif copies both. */
static sdimage_status add_blocks(avifImage *avif, const sdimage_encode_options *options,
                                 sdimage_orientation orientation, sdimage_error **error) {
    const sdimage_data *xmp = NULL;
    sdcs_exif_block exif = {NULL, 0};
    sdimage_status status = sdcs_xmp_packet(options, &xmp, error);
    if (status >= 0)
        status = sdcs_exif_block_make(options, orientation, &exif, error);
    if (exif.length)
        status = check(SET(avifImageSetMetadataExif(avif, exif.bytes, exif.length)), NULL, error);
    sdcs_exif_block_release(&exif);
    if (status >= 0 && xmp) {
        const uint8_t *bytes = sdimage_data_bytes(xmp);
        status = check(SET(avifImageSetMetadataXMP(avif, bytes, sdimage_data_length(xmp))), NULL, error);
    }
    return status;
}

/* Sets everything in `avif` that does not concern the encoder: pixels, colors, metadata, orientation. */
static sdimage_status fill(avifImage *avif, const sdcs_encode_input *source, const sdimage_encode_options *options,
                           sdimage_error **error) {
    bool lossless = sdimage_encode_options_is_lossless(options);
    sdimage_status status = set_colors(avif, source->image, lossless, error);
    set_light_level(avif, options);
    if (status >= 0)
        status = source->channels == 1 ? fill_gray(avif, source, error) : fill_color(avif, source, error);
    if (status >= 0)
        status = add_blocks(avif, options, sdimage_image_orientation(source->image), error);
    /* Must come last: newer versions of the library take the orientation from EXIF. */
    set_orientation(avif, sdimage_image_orientation(source->image));
    return status;
}

/* --- The file. */

/* Translates quality and effort. libavif's quantizers run from 0, lossless, to 63. Minimum and maximum are equal, which
 * gives a constant quality. */
static void configure(avifEncoder *encoder, const sdimage_encode_options *options) {
    double loss = sdimage_encode_options_is_lossless(options) ? 0 : 1 - sdimage_encode_options_quality(options);
    int quantizer = (int)(loss * WORST + 0.5), effort = (int)sdimage_encode_options_effort(options);
    encoder->minQuantizer = encoder->maxQuantizer = quantizer;
    encoder->minQuantizerAlpha = encoder->maxQuantizerAlpha = quantizer;
    encoder->speed = effort ? FASTEST - effort : STANDARD_SPEED; /* the highest effort is the lowest speed */
    encoder->maxThreads = sdcs_processors();
}

/* Compresses the planes; *data receives a copy of the file. libavif encodes in one call, which nothing interrupts. */
static sdimage_status write_file(const avifImage *avif, const sdimage_encode_options *options, sdimage_data **data,
                                 sdimage_error **error) {
    avifEncoder *encoder = avifEncoderCreate();
    avifRWData file = AVIF_DATA_EMPTY;
    if (!encoder)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "avif: no memory for an encoder");
    configure(encoder, options);
    sdimage_status status = check(avifEncoderWrite(encoder, avif, &file), encoder, error);
    if (status >= 0)
        status = add_light_level(&file, options, error);
    if (status >= 0)
        status = sdimage_data_new(file.data, file.size, data, error);
    avifRWDataFree(&file);
    avifEncoderDestroy(encoder);
    return status;
}

/* Returns the layout of the planes: luma alone for gray, 4:4:4 for lossless, 4:2:0 for lossy. */
static avifPixelFormat format_of(const sdcs_encode_input *source, const sdimage_encode_options *options) {
    if (source->channels == 1)
        return AVIF_PIXEL_FORMAT_YUV400;
    return sdimage_encode_options_is_lossless(options) ? AVIF_PIXEL_FORMAT_YUV444 : AVIF_PIXEL_FORMAT_YUV420;
}

/* Encodes a prepared image. libavif stores at most 12 bits a sample. */
static sdimage_status encode_source(const sdcs_encode_input *source, const sdimage_encode_options *options,
                                    sdimage_data **data, sdimage_error **error) {
    /* A number of bits that was set is a reduction that was requested. */
    if (source->bits > 8 && sdimage_encode_options_is_lossless(options) &&
        !sdimage_encode_options_bits_per_channel(options))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED,
                         "avif: samples of more than 12 bits cannot be stored without loss");
    avifImage *avif =
        avifImageCreate((int)source->width, (int)source->height, source->bits, format_of(source, options));
    if (!avif)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "avif: no memory for an encoder");
    sdimage_status status = fill(avif, source, options, error);
    if (status >= 0)
        status = write_file(avif, options, data, error);
    avifImageDestroy(avif);
    return status;
}

/* libavif may have been built without an AV1 encoder. */
bool sdavif_can_encode(void *user_data, sdimage_format format) {
    (void)user_data;
    return format == SDIMAGE_FORMAT_AVIF && avifCodecName(AVIF_CODEC_CHOICE_AUTO, AVIF_CODEC_FLAG_CAN_ENCODE) != NULL;
}

sdimage_status sdavif_encode(void *user_data, const sdimage_image *image, sdimage_format format,
                             const sdimage_encode_options *options, sdimage_data **data, sdimage_error **error) {
    if (!sdavif_can_encode(user_data, format))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "avif: libavif has no encoder");
    /* Options that cannot be fulfilled are errors: a caller would not notice that they were ignored. */
    if (sdimage_encode_options_should_embed_thumbnail(options))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "avif: libavif cannot embed a thumbnail");
    if (sdimage_encode_options_should_embed_gain_map(options))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "avif: gain maps are not written");
    sdcs_encode_input source;
    sdimage_status status = sdcs_encode_input_open(&source, image, sdcs_deep_bits(options, DEEP_BITS), error);
    if (status >= 0)
        status = encode_source(&source, options, data, error);
    sdcs_encode_input_close(&source);
    return status;
}
