/* encode.c: encoding as JPEG XL by libjxl.
 *
 * 1. open_writer makes the encoder, its threads and the settings of all frames.
 * 2. add_frame converts a frame to samples and passes it to libjxl; the first one also sets the header, colors and
 *    metadata boxes.
 * 3. write_out appends the bytes that libjxl has finished to the file.
 *
 * Everything runs on the thread of the coder's call, and libjxl's own threads. */
#include "encode.h"

#include <jxl/encode.h>
#include <jxl/resizable_parallel_runner.h>
#include <stdlib.h>
#include <string.h>

#include "encode_input.h"
#include "exif_block.h"
#include "profile.h"

/* Encoder settings: libjxl's default effort; the distances of quality 1 and the largest that every version accepts. */
enum { STANDARD_EFFORT = 7 };
static const double NEAREST = 0.1, FARTHEST = 15;

/* Builds with assertions of versions before 0.12 end the process at an effort above 7, for example with a small flat
 * image (https://github.com/libjxl/libjxl/issues/3890). */
enum { SAFE_EFFORT = 7, FIRST_VERSION_WITH_EVERY_EFFORT = 12 * 1000 };

/* Bits of a high-depth image, which libjxl reduces to those of the file; initial bytes of the output buffer. */
enum { DEEP_BITS = 16, FIRST_ROOM = 1 << 16 };

/* One encode. */
typedef struct writer {
    JxlEncoder *encoder;
    void *threads;
    JxlEncoderFrameSettings *settings; /* those of every frame; owned by the encoder */
    const sdimage_encode_options *options;
    uint8_t *bytes; /* the file, so far `length` bytes */
    size_t length;
    uint32_t frames;           /* frames to write; 1 for a still */
    sdcs_encode_layout layout; /* the same for all frames */
} writer;

/* Translates a status of libjxl, which does not tell the reason. */
static sdimage_status check(JxlEncoderStatus status, sdimage_error **error) {
    if (status == JXL_ENC_SUCCESS)
        return SDIMAGE_STATUS_OK;
    return sdcs_fail(error, SDIMAGE_STATUS_ENCODE_FAILED, "jxl: libjxl refused the image or the options");
}

/* Converts a quality from 0 to 1 to a distance, as the programs of libjxl convert 0 to 100. The two branches meet at
 * 30. */
static float distance_of(double quality) {
    double q = quality * 100,
           distance = q >= 30 ? NEAREST + (100 - q) * 0.09 : 53.0 / 3000 * q * q - 23.0 / 20 * q + 25;
    return (float)(distance > FARTHEST ? FARTHEST : distance);
}

/* --- The header. */

/* Sets the primaries of code points (ITU-T H.273, table 2). Unknown ones count as those of sRGB. */
static void set_primaries(JxlColorEncoding *color, uint16_t code) {
    /* BT.601 with 625 and with 525 lines: libjxl has no numbers for them. */
    static const double lines_625[3][2] = {{0.64, 0.33}, {0.29, 0.60}, {0.15, 0.06}};
    static const double lines_525[3][2] = {{0.630, 0.340}, {0.310, 0.595}, {0.155, 0.070}};
    const double(*points)[2] = code == 5 ? lines_625 : lines_525;
    switch (code) {
    case 9: color->primaries = JXL_PRIMARIES_2100; return;
    case 12: color->primaries = JXL_PRIMARIES_P3; return;
    case 5:
    case 6:
    case 7: color->primaries = JXL_PRIMARIES_CUSTOM; break;
    default: return;
    }
    memcpy(color->primaries_red_xy, points[0], sizeof points[0]);
    memcpy(color->primaries_green_xy, points[1], sizeof points[1]);
    memcpy(color->primaries_blue_xy, points[2], sizeof points[2]);
}

/* Sets the transfer function of code points (ITU-T H.273, table 3). Unknown ones count as that of sRGB. */
static void set_transfer(JxlColorEncoding *color, uint16_t code) {
    switch (code) {
    case 4:
    case 5:
        color->transfer_function = JXL_TRANSFER_FUNCTION_GAMMA;
        color->gamma = 1 / (code == 4 ? 2.2 : 2.8);
        break;
    /* The curve of BT.709 has four numbers. */
    case 1:
    case 6:
    case 14:
    case 15: color->transfer_function = JXL_TRANSFER_FUNCTION_709; break;
    case 8: color->transfer_function = JXL_TRANSFER_FUNCTION_LINEAR; break;
    case 16: color->transfer_function = JXL_TRANSFER_FUNCTION_PQ; break;
    case 18: color->transfer_function = JXL_TRANSFER_FUNCTION_HLG; break;
    default: break;
    }
}

/* Sets the ICC profile of the image, or an encoding by its code points. */
static sdimage_status set_colors(writer *writer, const sdcs_encode_input *source, sdjxl_profile_use use,
                                 sdimage_error **error) {
    const sdimage_data *profile = sdimage_image_color_profile(source->image);
    /* A profile that libjxl refuses counts as sRGB, as in decoding. */
    if (use != SDJXL_PROFILE_UNUSABLE && JxlEncoderSetICCProfile(writer->encoder, sdimage_data_bytes(profile),
                                                                 sdimage_data_length(profile)) == JXL_ENC_SUCCESS)
        return SDIMAGE_STATUS_OK;
    JxlColorEncoding color;
    sdcs_color codes = sdcs_color_of(source->image);
    JxlColorEncodingSetToSRGB(&color, source->channels == 1);
    set_primaries(&color, codes.primaries);
    set_transfer(&color, codes.transfer);
    return check(JxlEncoderSetColorEncoding(writer->encoder, &color), error);
}

/* Returns the brightness of the largest sample in cd/m2, of PQ no more than the content has; 0 for SDR, whose default
 * libjxl knows. */
static float intensity_target(const sdimage_image *image, const sdimage_encode_options *options) {
    uint32_t content = sdimage_encode_options_max_content_light_level(options);
    switch (sdimage_image_transfer_characteristics(image)) {
    case SDIMAGE_TRANSFER_CHARACTERISTICS_PQ: return content && content < 10000 ? (float)content : 10000;
    case SDIMAGE_TRANSFER_CHARACTERISTICS_HLG: return 1000;
    default: return 0;
    }
}

/* Sets the header of the file, from the first frame. `loops`: 0 is endless. */
static sdimage_status set_header(writer *writer, const sdcs_encode_input *source, uint32_t loops,
                                 sdimage_error **error) {
    JxlBasicInfo info;
    sdimage_orientation orientation = sdimage_image_orientation(source->image);
    JxlEncoderInitBasicInfo(&info);
    info.xsize = source->width, info.ysize = source->height;
    info.bits_per_sample = source->bits == 8 ? 8 : (uint32_t)sdcs_deep_bits(writer->options, DEEP_BITS);
    info.num_color_channels = source->channels == 1 ? 1 : 3;
    info.num_extra_channels = source->channels == 4 ? 1 : 0;
    info.alpha_bits = source->channels == 4 ? info.bits_per_sample : 0;
    info.orientation = orientation >= SDIMAGE_ORIENTATION_UP && orientation <= SDIMAGE_ORIENTATION_LEFT
                           ? (JxlOrientation)orientation
                           : JXL_ORIENT_IDENTITY;
    float intensity = intensity_target(source->image, writer->options);
    if (intensity > 0)
        info.intensity_target = intensity;
    /* Lossless needs the colors of the file themselves; otherwise libjxl converts to XYB, in which it compresses
     * better. */
    sdjxl_profile_use use =
        sdjxl_profile_examine(sdimage_image_color_profile(source->image), source->channels, source->bits);
    info.uses_original_profile = sdimage_encode_options_is_lossless(writer->options) || use == SDJXL_PROFILE_STORED;
    if (writer->frames > 1) {
        info.have_animation = JXL_TRUE;
        /* Durations are milliseconds: 1000 ticks per second. */
        info.animation.tps_numerator = 1000;
        info.animation.tps_denominator = 1;
        info.animation.num_loops = loops;
    }
    sdimage_status status = check(JxlEncoderSetBasicInfo(writer->encoder, &info), error);
    /* 16 bits need level 10 of the format (ISO/IEC 18181-1, annex M). */
    if (status >= 0 && JxlEncoderGetRequiredCodestreamLevel(writer->encoder) == 10)
        status = check(JxlEncoderSetCodestreamLevel(writer->encoder, 10), error);
    return status < 0 ? status : set_colors(writer, source, use, error);
}

/* Returns the effort, 1 to 9; at most SAFE_EFFORT for versions of libjxl with failing assertions. */
static int64_t effort_of(const sdimage_encode_options *options) {
    uint32_t effort = sdimage_encode_options_effort(options);
    if (!effort)
        return STANDARD_EFFORT;
    return effort > SAFE_EFFORT && JxlEncoderVersion() < FIRST_VERSION_WITH_EVERY_EFFORT ? SAFE_EFFORT : effort;
}

/* Makes the settings of all frames: effort, and lossless or a distance. */
static sdimage_status set_settings(writer *writer, sdimage_error **error) {
    writer->settings = JxlEncoderFrameSettingsCreate(writer->encoder, NULL);
    if (!writer->settings)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "jxl: no memory for an encoder");
    sdimage_status status = check(
        JxlEncoderFrameSettingsSetOption(writer->settings, JXL_ENC_FRAME_SETTING_EFFORT, effort_of(writer->options)),
        error);
    if (status < 0)
        return status;
    if (sdimage_encode_options_is_lossless(writer->options))
        return check(JxlEncoderSetFrameLossless(writer->settings, JXL_TRUE), error);
    return check(
        JxlEncoderSetFrameDistance(writer->settings, distance_of(sdimage_encode_options_quality(writer->options))),
        error);
}

/* --- Metadata boxes. An Exif box begins with the offset of the TIFF structure in it (ISO/IEC 18181-2, 9.4). */

/* Adds the EXIF and XMP boxes of the options, if any. The orientation tag is that of the image. */
static sdimage_status add_blocks(writer *writer, sdimage_orientation orientation, sdimage_error **error) {
    const sdimage_data *xmp = NULL;
    sdcs_exif_block exif = {NULL, 0};
    sdimage_status status = sdcs_xmp_packet(writer->options, &xmp, error);
    if (status >= 0)
        status = sdcs_exif_block_make(writer->options, orientation, &exif, error);
    if (status < 0 || (!exif.length && !xmp))
        return status;
    /* Selects the container format, which alone has boxes; before the first frame is added. */
    status = check(JxlEncoderUseBoxes(writer->encoder), error);
    /* Zeroed: the offset at the beginning is 0. */
    uint8_t *box = status >= 0 && exif.length ? calloc(1, exif.length + 4) : NULL;
    if (box) {
        memcpy(box + 4, exif.bytes, exif.length);
        status = check(JxlEncoderAddBox(writer->encoder, "Exif", box, exif.length + 4, JXL_FALSE), error);
    } else if (status >= 0 && exif.length) {
        status = sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "jxl: no memory for a metadata block");
    }
    free(box);
    sdcs_exif_block_release(&exif);
    if (status >= 0 && xmp)
        status = check(
            JxlEncoderAddBox(writer->encoder, "xml ", sdimage_data_bytes(xmp), sdimage_data_length(xmp), JXL_FALSE),
            error);
    JxlEncoderCloseBoxes(writer->encoder);
    return status;
}

/* --- Images. */

/* Copies the rows without the padding between them. */
static sdimage_status add_pixels(writer *writer, const sdcs_encode_input *source, sdimage_error **error) {
    size_t row = (size_t)source->width * (size_t)source->channels * (source->bits > 8 ? 2 : 1);
    uint8_t *pixels = malloc(row * source->height);
    if (!pixels)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "jxl: no memory for an encoder");
    for (uint32_t y = 0; y < source->height; y++)
        sdcs_encode_input_row(source, y, pixels + y * row);
    JxlPixelFormat format = {(uint32_t)source->channels, source->bits > 8 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
                             JXL_NATIVE_ENDIAN, 0};
    sdimage_status status =
        check(JxlEncoderAddImageFrame(writer->settings, &format, pixels, row * source->height), error);
    free(pixels);
    return status;
}

/* Appends all finished output to the file, whose capacity doubles. After the last frame it completes the file. */
static sdimage_status write_out(writer *writer, sdimage_error **error) {
    size_t room = writer->length;
    for (;;) {
        size_t more = room ? room * 2 : FIRST_ROOM;
        uint8_t *bytes = realloc(writer->bytes, more);
        if (!bytes)
            return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "jxl: no memory for the file");
        writer->bytes = bytes, room = more;
        /* The buffer may have moved. */
        uint8_t *next = writer->bytes + writer->length;
        size_t left = room - writer->length;
        JxlEncoderStatus status = JxlEncoderProcessOutput(writer->encoder, &next, &left);
        writer->length = room - left;
        if (status != JXL_ENC_NEED_MORE_OUTPUT)
            return check(status, error);
    }
}

static sdimage_status add_frame(writer *writer, const sdimage_image *image, uint32_t index, sdimage_error **error) {
    sdimage_image *frame = NULL;
    sdimage_status status = SDIMAGE_STATUS_OK;
    if (writer->frames > 1) {
        JxlFrameHeader header;
        JxlEncoderInitFrameHeader(&header);
        header.duration = sdimage_image_frame_duration_ms(image, index);
        status = check(JxlEncoderSetFrameHeader(writer->settings, &header), error);
        if (status >= 0)
            status = sdimage_image_get_frame(image, index, &frame, error);
    }
    sdcs_encode_input source = {.image = NULL};
    if (status >= 0)
        status = sdcs_encode_input_open_as(&source, frame ? frame : image, writer->layout, DEEP_BITS, error);
    /* The header takes depth, channels and orientation of the first frame; the layout is common to all. */
    if (status >= 0 && index == 0) {
        status = set_header(writer, &source, sdimage_encode_options_loop_count(writer->options, image), error);
        if (status >= 0)
            status = add_blocks(writer, sdimage_image_orientation(source.image), error);
    }
    if (status >= 0)
        status = add_pixels(writer, &source, error);
    sdcs_encode_input_close(&source);
    sdimage_image_unref(frame);
    /* Closed before the output of the last frame is read: its header marks it as the last one. */
    if (index + 1 == writer->frames)
        JxlEncoderCloseInput(writer->encoder);
    return status < 0 ? status : write_out(writer, error);
}

/* Makes the encoder. The caller destroys its members, also after a failure. */
static sdimage_status open_writer(writer *writer, const sdimage_image *image, sdimage_error **error) {
    writer->encoder = JxlEncoderCreate(NULL);
    writer->threads = JxlResizableParallelRunnerCreate(NULL);
    if (!writer->encoder || !writer->threads)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "jxl: no memory for an encoder");
    uint32_t wanted = JxlResizableParallelRunnerSuggestThreads(sdimage_image_width(image), sdimage_image_height(image));
    uint32_t most = (uint32_t)sdcs_processors();
    JxlResizableParallelRunnerSetThreads(writer->threads, wanted < most ? wanted : most);
    sdimage_status status =
        check(JxlEncoderSetParallelRunner(writer->encoder, JxlResizableParallelRunner, writer->threads), error);
    return status < 0 ? status : set_settings(writer, error);
}

/* Entries of the coder's function table (sys/coder.h). */
bool sdjxl_can_encode(void *user_data, sdimage_format format) {
    (void)user_data;
    return format == SDIMAGE_FORMAT_JXL;
}

sdimage_status sdjxl_encode(void *user_data, const sdimage_image *image, sdimage_format format,
                            const sdimage_encode_options *options, sdimage_data **data, sdimage_error **error) {
    (void)user_data, (void)format;
    if (sdimage_encode_options_should_embed_thumbnail(options))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "jxl: libjxl cannot embed a thumbnail");
    if (sdimage_encode_options_should_embed_gain_map(options))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "jxl: gain maps are not written");
    writer writer = {.options = options, .frames = 1, .layout = sdcs_encode_layout_of(image)};
    sdimage_status status = open_writer(&writer, image, error);
    if (!sdimage_encode_options_is_first_frame_only(options))
        writer.frames = sdimage_image_frame_count(image);
    /* All frames share one header, but may differ in depth and alpha. */
    if (status >= 0 && writer.frames > 1)
        status = sdcs_encode_layout_of_frames(&writer.layout, image, error);
    for (uint32_t i = 0; status >= 0 && i < writer.frames; i++)
        status = add_frame(&writer, image, i, error);
    if (status >= 0)
        status = sdimage_data_new(writer.bytes, writer.length, data, error);
    if (writer.encoder)
        JxlEncoderDestroy(writer.encoder);
    if (writer.threads)
        JxlResizableParallelRunnerDestroy(writer.threads);
    free(writer.bytes);
    return status;
}
