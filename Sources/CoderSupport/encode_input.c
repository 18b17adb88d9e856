/* encode_input.c: conversion of an image to the few layouts that encoders of modules and plug-ins take. The library
 * converts; rows are shifted to the requested bits as they are read. */
#include "encode_input.h"

#include <string.h>

#include "pixel_format.h"

/* Reports that samples have more than 8 bits. Floats are stored as integers of 16 bits. */
static bool is_deep(sdimage_pixel_format format) {
    return sdcs_is_16_bit(format) || format == SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT;
}

static bool is_gray(sdimage_pixel_format format) {
    return format == SDIMAGE_PIXEL_FORMAT_GRAY8 || format == SDIMAGE_PIXEL_FORMAT_GRAY16;
}

sdcs_encode_layout sdcs_encode_layout_of(const sdimage_image *image) {
    sdimage_pixel_format format = sdimage_image_pixel_format(image);
    /* Gray formats have no alpha. Premultiplied formats become straight. */
    int channels = is_gray(format) ? 1 : sdimage_image_has_alpha(image) ? 4 : 3;
    return (sdcs_encode_layout){channels, is_deep(format)};
}

sdimage_status sdcs_encode_layout_of_frames(sdcs_encode_layout *layout, const sdimage_image *animation,
                                            sdimage_error **error) {
    /* Starts with the smallest layout, and grows with each frame. */
    *layout = (sdcs_encode_layout){1, false};
    for (uint32_t i = 0; i < sdimage_image_frame_count(animation); i++) {
        sdimage_image *frame = NULL;
        sdimage_status status = sdimage_image_get_frame(animation, i, &frame, error);
        if (status < 0)
            return status;
        sdcs_encode_layout own = sdcs_encode_layout_of(frame);
        sdimage_image_unref(frame);
        layout->channels = own.channels > layout->channels ? own.channels : layout->channels;
        layout->deep = layout->deep || own.deep;
    }
    return SDIMAGE_STATUS_OK;
}

sdimage_status sdcs_encode_input_open(sdcs_encode_input *source, const sdimage_image *image, int deep_bits,
                                      sdimage_error **error) {
    return sdcs_encode_input_open_as(source, image, sdcs_encode_layout_of(image), deep_bits, error);
}

sdimage_status sdcs_encode_input_open_as(sdcs_encode_input *source, const sdimage_image *frame,
                                         sdcs_encode_layout layout, int deep_bits, sdimage_error **error) {
    *source = (sdcs_encode_input){NULL, sdimage_image_width(frame), sdimage_image_height(frame), layout.channels,
                                  layout.deep ? deep_bits : 8};
    /* The default limit of decoding: files that are written can be read again. */
    if ((uint64_t)source->width * source->height > SDCS_STANDARD_PIXELS)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "encoder: image exceeds the limit of 64 Mi pixels");
    sdimage_pixel_format format;
    if (layout.channels == 1)
        format = layout.deep ? SDIMAGE_PIXEL_FORMAT_GRAY16 : SDIMAGE_PIXEL_FORMAT_GRAY8;
    else if (layout.channels == 4)
        format = layout.deep ? SDIMAGE_PIXEL_FORMAT_RGBA16 : SDIMAGE_PIXEL_FORMAT_RGBA8;
    else
        format = layout.deep ? SDIMAGE_PIXEL_FORMAT_RGB16 : SDIMAGE_PIXEL_FORMAT_RGB8;
    return sdimage_image_convert(frame, format, &source->image, error);
}

int sdcs_deep_bits(const sdimage_encode_options *options, int standard) {
    int bits = (int)sdimage_encode_options_bits_per_channel(options);
    return bits > 8 ? bits : standard;
}

void sdcs_encode_input_close(sdcs_encode_input *source) {
    sdimage_image_unref(source->image);
    source->image = NULL;
}

void sdcs_encode_input_row(const sdcs_encode_input *source, uint32_t y, void *to) {
    const uint8_t *row = (const uint8_t *)sdimage_image_pixels(source->image) + y * sdimage_image_stride(source->image);
    size_t samples = (size_t)source->width * (size_t)source->channels;
    if (source->bits == 8) {
        memcpy(to, row, samples);
        return;
    }
    const uint16_t *from = (const uint16_t *)(const void *)row;
    uint16_t *words = to;
    for (size_t i = 0; i < samples; i++)
        /* Drops the lowest bits. */
        words[i] = (uint16_t)(from[i] >> (16 - source->bits));
}

sdcs_color sdcs_color_of(const sdimage_image *image) {
    /* ITU-T H.273, tables 2 and 3. */
    enum { BT709 = 1, SRGB = 13 };
    uint32_t primaries = sdimage_image_color_primaries(image), transfer = sdimage_image_transfer_characteristics(image);
    /* 0 means that the image does not describe its colors. */
    if (!primaries && !transfer)
        return (sdcs_color){BT709, SRGB};
    return (sdcs_color){(uint16_t)primaries, (uint16_t)transfer};
}

uint16_t sdcs_matrix_of(const sdimage_image *image) {
    enum { BT601 = 6, BT2020 = 9 };
    return sdimage_image_color_primaries(image) == BT2020 ? BT2020 : BT601;
}

sdimage_status sdcs_as_stored(const sdimage_image *image, sdimage_image **stored, sdimage_error **error) {
    sdimage_metadata *metadata = NULL;
    sdimage_status status = sdimage_image_copy_metadata(image, &metadata, error);
    if (status < 0)
        return status;
    sdimage_metadata_set_scale(metadata, 1);
    sdimage_metadata_set_orientation(metadata, SDIMAGE_ORIENTATION_UP);
    status = sdimage_image_with_metadata(image, metadata, stored, error);
    sdimage_metadata_unref(metadata);
    return status;
}
