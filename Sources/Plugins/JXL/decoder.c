/* decoder.c: one pass of libjxl through the frames of a file: limits, colors and pixels (see decoder.h).
 *
 * It runs on the thread of the coder's call. The threads of libjxl's parallel runner, which sdjxl_close ends, store
 * pixels through the callback `store`. */
#include "decoder.h"

#include <jxl/resizable_parallel_runner.h>
#include <stdlib.h>
#include <string.h>

#include "pixel_format.h"

/* libjxl 0.9 removed a parameter that was never read. */
#if JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define UNUSED_FORMAT
#else
#define UNUSED_FORMAT NULL,
#endif

/* Code points of ITU-T H.273. */
enum { BT709 = 1, UNSPECIFIED = 2, LINEAR = 8, BT2020 = 9, DISPLAY_P3 = 12, SRGB = 13, PQ = 16, HLG = 18 };

/* Limit of the bytes of the bitmap and of the float planes that libjxl holds for a whole image: the limit of working
 * memory plus that of a bitmap. A memory manager for JxlDecoderCreate could not enforce it, because libjxl before 0.11
 * allocates planes without it. */
static const uint64_t MOST_BYTES = (uint64_t)SDCS_WORKING_BYTES + ((uint64_t)256 << 20);

/* --- The header, and the limits checked against it. */

static bool is_gray(const sdjxl_decoder *self) {
    return self->info.num_color_channels == 1;
}
static bool has_alpha(const sdjxl_decoder *self) {
    return self->info.alpha_bits > 0;
}

/* Reports that colors are divided by alpha in 16 bits, although 8 are returned. NATIVE keeps the depth, and so do
 * images whose 16 bits exceed the limit. */
static bool divides_wide(const sdjxl_decoder *self) {
    return has_alpha(self) && self->info.alpha_premultiplied && self->request.format != SDIMAGE_PIXEL_FORMAT_NATIVE &&
           !sdcs_exceeds_bytes(self->request.max_bytes, self->info.xsize, self->info.ysize,
                               SDIMAGE_PIXEL_FORMAT_RGBA16);
}

/* Returns true if pixels are decoded to 16 bits per sample. A request for 8 bits saves the memory of 16 bits, unless
 * colors have yet to be converted or divided by alpha. */
static bool wants_wide(const sdjxl_decoder *self) {
    if (divides_wide(self))
        return true;
    if (self->info.bits_per_sample <= 8)
        return false;
    switch (self->request.format) {
    case SDIMAGE_PIXEL_FORMAT_AUTOMATIC:
    case SDIMAGE_PIXEL_FORMAT_GRAY8:
    case SDIMAGE_PIXEL_FORMAT_RGB8:
    case SDIMAGE_PIXEL_FORMAT_RGBA8:
    case SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED:
    case SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED: return self->request.converts_to_srgb;
    default: return true;
    }
}

/* Returns the format of the decoded pixels, which the library converts to the requested one. */
static sdimage_pixel_format format_of(const sdjxl_decoder *self) {
    bool wide = wants_wide(self);
    if (has_alpha(self))
        return wide ? SDIMAGE_PIXEL_FORMAT_RGBA16 : SDIMAGE_PIXEL_FORMAT_RGBA8;
    if (is_gray(self))
        return wide ? SDIMAGE_PIXEL_FORMAT_GRAY16 : SDIMAGE_PIXEL_FORMAT_GRAY8;
    return wide ? SDIMAGE_PIXEL_FORMAT_RGB16 : SDIMAGE_PIXEL_FORMAT_RGB8;
}

/* Refuses CMYK: its black is an extra channel, which the decoded RGB would lack. */
static sdimage_status check_channels(const sdjxl_decoder *self, sdimage_error **error) {
    for (uint32_t i = 0; i < self->info.num_extra_channels; i++) {
        JxlExtraChannelInfo channel;
        if (JxlDecoderGetExtraChannelInfo(self->decoder, i, &channel) == JXL_DEC_SUCCESS &&
            channel.type == JXL_CHANNEL_BLACK)
            return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "jxl: CMYK images are not decoded");
    }
    return SDIMAGE_STATUS_OK;
}

/* Handles JXL_DEC_BASIC_INFO: checks all limits before libjxl allocates planes, and sets the number of threads. */
static sdimage_status read_header(sdjxl_decoder *self, sdimage_error **error) {
    if (JxlDecoderGetBasicInfo(self->decoder, &self->info) != JXL_DEC_SUCCESS)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "jxl: header cannot be read");
    uint64_t pixels = (uint64_t)self->info.xsize * self->info.ysize;
    uint32_t channels = self->info.num_color_channels + self->info.num_extra_channels;
    if (!pixels)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "jxl: image has no pixels");
    if (pixels > self->request.max_pixels)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "decoder: more pixels than max_pixels allows");
    self->format = format_of(self);
    if (sdcs_exceeds_bytes(self->request.max_bytes, self->info.xsize, self->info.ysize, self->format))
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "decoder: bitmap has more bytes than max_bytes allows");
    /* libjxl holds a plane of floats for each channel, whichever of them are requested. */
    uint64_t planes = sdjxl_plane_bytes(channels, self->info.xsize, self->info.ysize);
    if (!self->is_header_only &&
        (planes > MOST_BYTES || pixels > (MOST_BYTES - planes) / sdimage_pixel_format_bytes(self->format)))
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "jxl: planes and bitmap exceed the limit of 512 MiB");
    self->has_info = true;
    /* Small images use fewer threads than there are processors. */
    uint32_t threads = JxlResizableParallelRunnerSuggestThreads(self->info.xsize, self->info.ysize);
    uint32_t most = (uint32_t)sdcs_processors();
    JxlResizableParallelRunnerSetThreads(self->threads, threads < most ? threads : most);
    return check_channels(self, error);
}

/* --- Colors. */

/* Describes the colors as two code points, if both are known there and the white point is D65. */
static bool read_codes(sdjxl_decoder *self) {
    JxlColorEncoding color;
    if (JxlDecoderGetColorAsEncodedProfile(self->decoder, UNUSED_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, &color) !=
        JXL_DEC_SUCCESS)
        return false;
    if (color.white_point != JXL_WHITE_POINT_D65 ||
        (color.color_space != JXL_COLOR_SPACE_RGB && color.color_space != JXL_COLOR_SPACE_GRAY))
        return false;
    /* Gray has no primaries; those of sRGB leave it neutral. */
    bool gray = color.color_space == JXL_COLOR_SPACE_GRAY;
    uint16_t primaries = gray                                    ? BT709
                         : color.primaries == JXL_PRIMARIES_SRGB ? BT709
                         : color.primaries == JXL_PRIMARIES_2100 ? BT2020
                         : color.primaries == JXL_PRIMARIES_P3   ? DISPLAY_P3
                                                                 : 0;
    uint16_t transfer;
    switch (color.transfer_function) {
    case JXL_TRANSFER_FUNCTION_709: transfer = BT709; break;
    case JXL_TRANSFER_FUNCTION_LINEAR: transfer = LINEAR; break;
    case JXL_TRANSFER_FUNCTION_SRGB: transfer = SRGB; break;
    case JXL_TRANSFER_FUNCTION_PQ: transfer = PQ; break;
    case JXL_TRANSFER_FUNCTION_HLG: transfer = HLG; break;
    default: return false;
    }
    if (!primaries)
        return false;
    /* sRGB is implied: it needs no code points. */
    bool plain = primaries == BT709 && transfer == SRGB;
    self->primaries = plain ? UNSPECIFIED : primaries;
    self->transfer = plain ? UNSPECIFIED : transfer;
    return true;
}

/* Handles JXL_DEC_COLOR_ENCODING: stores code points or, if they cannot describe the colors, the ICC profile. A profile
 * that is too long is left out. */
static sdimage_status read_colors(sdjxl_decoder *self, sdimage_error **error) {
    size_t length = 0;
    free(self->profile);
    self->profile = NULL;
    self->profile_length = 0;
    self->primaries = self->transfer = UNSPECIFIED;
    if (read_codes(self) ||
        JxlDecoderGetICCProfileSize(self->decoder, UNUSED_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, &length) !=
            JXL_DEC_SUCCESS ||
        !length || length > SDCS_BLOCK_LIMIT)
        return SDIMAGE_STATUS_OK;
    self->profile = malloc(length);
    if (!self->profile)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "jxl: no memory for a color profile");
    if (JxlDecoderGetColorAsICCProfile(self->decoder, UNUSED_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, self->profile,
                                       length) == JXL_DEC_SUCCESS)
        self->profile_length = length;
    return SDIMAGE_STATUS_OK;
}

/* --- Pixels. */

/* Divides a color sample by alpha, both from 0 to `most`, with rounding. */
static uint32_t straight(uint32_t color, uint32_t alpha, uint32_t most) {
    uint64_t value = alpha ? ((uint64_t)color * most + alpha / 2) / alpha : 0;
    return value > most ? most : (uint32_t)value;
}

/* Divides alpha out of the color components of pixels with four samples. */
static void make_straight(uint8_t *pixels, size_t count, bool wide) {
    for (size_t i = 0; i < count * 4; i += 4) {
        if (!wide) {
            for (size_t c = 0; c < 3; c++)
                pixels[i + c] = (uint8_t)straight(pixels[i + c], pixels[i + 3], 255);
            continue;
        }
        uint16_t *words = (uint16_t *)(void *)pixels + i;
        for (size_t c = 0; c < 3; c++)
            words[c] = (uint16_t)straight(words[c], words[3], 65535);
    }
}

/* Stores a piece of a row. libjxl calls it from several threads. */
static void store(void *opaque, size_t x, size_t y, size_t count, const void *pixels) {
    const sdjxl_decoder *self = opaque;
    size_t size = sdimage_pixel_format_bytes(self->format);
    /* The bounds of the bitmap are not left to libjxl. */
    if (y >= self->info.ysize || x > self->info.xsize || count > self->info.xsize - x)
        return;
    uint8_t *to = self->pixels + y * self->stride + x * size;
    memcpy(to, pixels, count * size);
    if (has_alpha(self) && self->info.alpha_premultiplied)
        make_straight(to, count, sdcs_is_16_bit(self->format));
}

/* Handles JXL_DEC_NEED_IMAGE_OUT_BUFFER: makes a bitmap for the frame that follows. It is cleared, because partial
 * images show parts that were not decoded. */
static sdimage_status make_room(sdjxl_decoder *self, sdimage_error **error) {
    void *bytes = NULL;
    JxlPixelFormat format = {has_alpha(self) ? 4
                             : is_gray(self) ? 1
                                             : 3,
                             sdcs_is_16_bit(self->format) ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    sdimage_image_unref(self->plain);
    self->plain = NULL;
    sdimage_status status = sdimage_image_new_uninitialized(self->info.xsize, self->info.ysize, self->format,
                                                            &self->plain, &bytes, &self->stride, error);
    if (status < 0)
        return status;
    self->pixels = bytes;
    memset(bytes, 0, self->stride * self->info.ysize);
    /* A callback, which also divides alpha out of the colors. */
    if (JxlDecoderSetImageOutCallback(self->decoder, &format, store, self) != JXL_DEC_SUCCESS)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "jxl: libjxl does not return the pixels");
    return SDIMAGE_STATUS_OK;
}

sdcs_info sdjxl_image_info(const sdjxl_decoder *self, uint32_t frames) {
    sdcs_info info = {.format = SDIMAGE_FORMAT_JXL, .width = self->info.xsize, .height = self->info.ysize};
    /* The orientations of JPEG XL are numbered like those of EXIF. */
    info.orientation = (sdimage_orientation)self->info.orientation;
    if (info.orientation < SDIMAGE_ORIENTATION_UP || info.orientation > SDIMAGE_ORIENTATION_LEFT)
        info.orientation = SDIMAGE_ORIENTATION_UP;
    info.has_alpha = has_alpha(self);
    info.chroma = is_gray(self) ? 0 : 8;
    info.bits = self->info.bits_per_sample;
    info.frame_count = frames;
    info.color.primaries = self->primaries;
    info.color.full_range = true;
    info.transfer = self->transfer;
    info.profile = (sdcs_span){self->profile, self->profile_length};
    return info;
}

sdimage_status sdjxl_take(sdjxl_decoder *self, uint32_t frames, sdimage_image **image, sdimage_error **error) {
    sdcs_info info = sdjxl_image_info(self, frames);
    sdimage_status status = sdcs_attach(&info, self->plain, image, error);
    sdimage_image_unref(self->plain);
    self->plain = NULL;
    return status;
}

sdimage_status sdjxl_flush(sdjxl_decoder *self, uint32_t frames, sdimage_image **image, sdimage_error **error) {
    /* The decoder writes on into the bitmap: the partial image is a copy. */
    sdimage_image *copy = NULL;
    if (!self->plain || JxlDecoderFlushImage(self->decoder) != JXL_DEC_SUCCESS)
        return SDIMAGE_STATUS_NEED_MORE_DATA;
    sdimage_status status =
        sdimage_image_new(self->info.xsize, self->info.ysize, self->stride, self->format, self->pixels, &copy, error);
    if (status >= 0) {
        sdcs_info info = sdjxl_image_info(self, frames);
        status = sdcs_attach(&info, copy, image, error);
    }
    sdimage_image_unref(copy);
    return status;
}

/* --- The decoding pass. */

sdimage_status sdjxl_open(sdjxl_decoder *self, const sdcs_request *request, sdcs_deadline deadline,
                          sdimage_error **error) {
    *self = (sdjxl_decoder){.request = *request, .primaries = UNSPECIFIED, .transfer = UNSPECIFIED};
    self->decoder = JxlDecoderCreate(NULL);
    self->threads = JxlResizableParallelRunnerCreate(NULL);
    self->deadline = deadline;
    if (!self->decoder || !self->threads)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "jxl: no memory for a decoder");
    /* Without JXL_DEC_BOX: file.c reads the boxes. */
    int events = JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE | JXL_DEC_FRAME_PROGRESSION;
    if (JxlDecoderSetParallelRunner(self->decoder, JxlResizableParallelRunner, self->threads) != JXL_DEC_SUCCESS ||
        JxlDecoderSubscribeEvents(self->decoder, events) != JXL_DEC_SUCCESS ||
        /* The library rotates the image. */
        JxlDecoderSetKeepOrientation(self->decoder, JXL_TRUE) != JXL_DEC_SUCCESS)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "jxl: no memory for a decoder");
    return SDIMAGE_STATUS_OK;
}

void sdjxl_close(sdjxl_decoder *self) {
    if (self->decoder)
        JxlDecoderDestroy(self->decoder);
    if (self->threads)
        JxlResizableParallelRunnerDestroy(self->threads);
    sdimage_image_unref(self->plain);
    free(self->profile);
    *self = (sdjxl_decoder){0};
}

sdimage_status sdjxl_next(sdjxl_decoder *self, sdjxl_event *event, sdimage_error **error) {
    for (sdimage_status status = SDIMAGE_STATUS_OK;;) {
        if ((status = sdcs_check_deadline(self->deadline, error)) < 0)
            return status;
        switch (JxlDecoderProcessInput(self->decoder)) {
        case JXL_DEC_BASIC_INFO: status = read_header(self, error); break;
        case JXL_DEC_COLOR_ENCODING: *event = SDJXL_HEADER; return read_colors(self, error);
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER: status = make_room(self, error); break;
        case JXL_DEC_NEED_MORE_INPUT: *event = SDJXL_NEED_INPUT; return SDIMAGE_STATUS_OK;
        case JXL_DEC_FRAME_PROGRESSION: *event = SDJXL_PREVIEW; return SDIMAGE_STATUS_OK;
        case JXL_DEC_FULL_IMAGE: *event = SDJXL_FRAME; return SDIMAGE_STATUS_OK;
        case JXL_DEC_SUCCESS: *event = SDJXL_END; return SDIMAGE_STATUS_OK;
        default:
            /* The deadline, or a cancellation, has precedence over an error of libjxl. */
            status = sdcs_check_deadline(self->deadline, error);
            return status < 0 ? status : sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "jxl: data is damaged");
        }
        if (status < 0)
            return status;
    }
}
