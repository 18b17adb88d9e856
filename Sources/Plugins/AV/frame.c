/* frame.c: conversion of the decoded frame to an image, with its colors (see frame.h).
 *
 * Planes that yuv.c (CoderSupport) understands are converted in one pass; libswscale converts all others. */
#include "frame.h"

#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

/* Code points of ITU-T H.273. */
enum { BT709 = 1, UNSPECIFIED = 2, BT601 = 6, BT2020 = 14 };

/* A video with at least this many rows and no color information is taken as BT.709. */
enum { HIGH_DEFINITION = 720 };

/* Returns the matrix coefficients: those of the stream, or BT.709 for high definition without any. */
static uint16_t matrix_of(int said, uint32_t height) {
    return said == UNSPECIFIED && height >= HIGH_DEFINITION ? BT709 : (uint16_t)said;
}

/* Describes a frame as planes of 8 to 12 bits for the modules' own conversion. It takes one pass and is as exact as for
 * HEIC stills. False for other formats. */
static bool planes_of(const AVFrame *frame, sdyuv_planes *planes) {
    const AVPixFmtDescriptor *kind = av_pix_fmt_desc_get(frame->format);
    const uint64_t strange = AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                             AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_ALPHA |
                             AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BAYER;
    /* One component for gray, three for YCbCr; two would be gray with alpha. */
    if (!kind || (kind->flags & strange) || (kind->nb_components != 1 && kind->nb_components != 3))
        return false;
    int depth = kind->comp[0].depth, bytes = depth > 8 ? 2 : 1;
    /* The conversion has no 4:4:0, which halves only the rows of chroma. */
    if (depth < 8 || depth > 12 || kind->log2_chroma_w > 1 || kind->log2_chroma_h > 1 ||
        (kind->log2_chroma_h && !kind->log2_chroma_w))
        return false;
    /* Each component fills a plane of its own, in the lower bits of its words: excludes NV12 and P010. */
    for (int c = 0; c < kind->nb_components; c++) {
        const AVComponentDescriptor *component = &kind->comp[c];
        if (component->plane != c || component->step != bytes || component->offset || component->shift ||
            component->depth != depth || !frame->data[c] || frame->linesize[c] <= 0)
            return false;
    }
    *planes = (sdyuv_planes){.width = (uint32_t)frame->width, .height = (uint32_t)frame->height, .depth = depth};
    planes->luma = frame->data[0];
    planes->luma_stride = (size_t)frame->linesize[0];
    if (kind->nb_components == 3) {
        planes->shift_x = kind->log2_chroma_w, planes->shift_y = kind->log2_chroma_h;
        planes->cb = frame->data[1], planes->cr = frame->data[2];
        planes->cb_stride = (size_t)frame->linesize[1], planes->cr_stride = (size_t)frame->linesize[2];
    }
    return true;
}

sdcs_info sdav_info(const sdav_movie *movie, uint32_t frames) {
    const AVCodecParameters *said = movie->stream->codecpar;
    sdcs_info info = {.format = movie->is_sequence ? SDIMAGE_FORMAT_HEIC : SDIMAGE_FORMAT_UNKNOWN};
    info.width = said->width > 0 ? (uint32_t)said->width : 0;
    info.height = said->height > 0 ? (uint32_t)said->height : 0;
    info.orientation = movie->orientation;
    /* 4:4:4, the largest: the track does not tell the subsampling. */
    info.chroma = 8;
    info.bits =
        said->bits_per_raw_sample >= 8 && said->bits_per_raw_sample <= 16 ? (uint32_t)said->bits_per_raw_sample : 8;
    info.frame_count = frames;
    info.color.primaries = (uint16_t)said->color_primaries;
    info.transfer = (uint16_t)said->color_trc;
    return info;
}

/* Returns the properties of the decoded frame, which have precedence over those that the track declares. */
static sdcs_info frame_info(const sdav_movie *movie, uint32_t frames) {
    const AVFrame *frame = movie->frame;
    const AVPixFmtDescriptor *kind = av_pix_fmt_desc_get(frame->format);
    sdcs_info info = sdav_info(movie, frames);
    info.width = (uint32_t)frame->width, info.height = (uint32_t)frame->height;
    info.chroma = kind && kind->nb_components == 1 ? 0 : 8;
    info.bits = kind ? (uint32_t)kind->comp[0].depth : 8;
    info.has_alpha = kind && (kind->flags & AV_PIX_FMT_FLAG_ALPHA);
    info.color = (sdyuv_color){(uint16_t)frame->color_primaries, matrix_of(frame->colorspace, info.height),
                               frame->color_range == AVCOL_RANGE_JPEG};
    info.transfer = (uint16_t)frame->color_trc;
    /* The camera transfer curve is shown as that of sRGB, as players do. */
    if (!movie->is_sequence && (info.transfer == BT709 || info.transfer == BT601 || info.transfer == BT2020))
        info.transfer = UNSPECIFIED;
    /* BT.709 primaries are those of sRGB, which needs no code points. */
    if (info.transfer == UNSPECIFIED && info.color.primaries == BT709)
        info.color.primaries = UNSPECIFIED;
    return info;
}

/* Sets matrix and range of the frame, whose default is BT.601 with limited range. Formats that imply full range keep
 * it. */
static void set_colors(struct SwsContext *sws, const sdcs_info *info) {
    int *from, *to, from_range, to_range, brightness, contrast, saturation;
    if (sws_getColorspaceDetails(sws, &from, &from_range, &to, &to_range, &brightness, &contrast, &saturation) < 0)
        return;
    /* The numbers of libswscale are those of ITU-T H.273; others count as BT.601. */
    sws_setColorspaceDetails(sws, sws_getCoefficients(info->color.matrix), from_range || info->color.full_range, to,
                             to_range, brightness, contrast, saturation);
}

/* Converts every other pixel format to RGB or RGBA with libswscale. */
static sdimage_status convert(const sdav_movie *movie, const sdcs_info *info, sdimage_image **image,
                              sdimage_error **error) {
    const AVFrame *frame = movie->frame;
    const AVPixFmtDescriptor *kind = av_pix_fmt_desc_get(frame->format);
    sdimage_image *plain = NULL;
    void *pixels = NULL;
    size_t stride = 0;
    if (!kind || !sws_isSupportedInput(frame->format))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "video: libswscale cannot convert the pixel format");
    /* libswscale reduces deeper samples to 8 bits. */
    sdimage_pixel_format format = info->has_alpha ? SDIMAGE_PIXEL_FORMAT_RGBA8 : SDIMAGE_PIXEL_FORMAT_RGB8;
    sdimage_status status =
        sdimage_image_new_uninitialized(info->width, info->height, format, &plain, &pixels, &stride, error);
    if (status < 0)
        return status;
    /* Made for one frame: the size and format may change with the next. */
    struct SwsContext *sws = sws_getContext(frame->width, frame->height, frame->format, frame->width, frame->height,
                                            info->has_alpha ? AV_PIX_FMT_RGBA : AV_PIX_FMT_RGB24,
                                            SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, NULL, NULL, NULL);
    if (sws)
        set_colors(sws, info);
    uint8_t *const to[4] = {pixels, NULL, NULL, NULL};
    /* sws_scale takes four planes; the output has one. */
    const int strides[4] = {(int)stride, 0, 0, 0};
    if (!sws || sws_scale(sws, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, to, strides) < 0)
        status = sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "video: libswscale cannot convert the pixel format");
    sws_freeContext(sws);
    if (status >= 0)
        status = sdcs_attach(info, plain, image, error);
    sdimage_image_unref(plain);
    return status;
}

sdimage_status sdav_make_image(const sdav_movie *movie, uint32_t frames, sdimage_image **image, sdimage_error **error) {
    sdyuv_planes planes;
    if (movie->frame->width <= 0 || movie->frame->height <= 0)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "video: frame has no pixels");
    sdcs_info info = frame_info(movie, frames);
    /* Checked here, because the size in the stream is authoritative. */
    sdimage_status status = sdcs_check_limits(&info, &movie->request, 1, error);
    if (status < 0)
        return status;
    /* All frames of an animation have one size, that of the track. */
    if (frames > 1 && (movie->frame->width != movie->stream->codecpar->width ||
                       movie->frame->height != movie->stream->codecpar->height))
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "video: frame differs in size from the track");
    sdyuv_matrix matrix;
    if (planes_of(movie->frame, &planes) && sdyuv_matrix_make(&matrix, &planes, info.color, false))
        return sdcs_make_image(&planes, &info, &movie->request, image, error);
    return convert(movie, &info, image, error);
}
