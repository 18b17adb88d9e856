/* picture.c: transforming and writing an image, shared by get, convert and frames. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

bool parse_size(const char *text, uint32_t *width, uint32_t *height) {
    char *end = NULL;
    unsigned long values[2];
    for (int i = 0; i < 2; i++, text = end + 1) {
        if (*text < '0' || *text > '9')
            return false;
        values[i] = strtoul(text, &end, 10);
        if (values[i] < 1 || values[i] > UINT32_MAX || (i == 0 ? *end != 'x' : *end != '\0'))
            return false;
    }
    *width = (uint32_t)values[0];
    *height = (uint32_t)values[1];
    return true;
}

static taken take_quality(picture_wish *wish, const char *text) {
    char *end = NULL;
    double quality = strtod(text, &end);
    if (end == text || *end || !(quality >= 0 && quality <= 1))
        return TAKEN_WRONG;
    sdimage_encode_options_set_quality(wish->encoding, quality);
    return TAKEN;
}

static taken take_max_bytes(picture_wish *wish, const char *text) {
    unsigned long long bytes;
    if (!parse_number(text, 1, SIZE_MAX, &bytes))
        return TAKEN_WRONG;
    sdimage_encode_options_set_max_file_size(wish->encoding, (size_t)bytes);
    return TAKEN;
}

static taken take_thumbnail(picture_wish *wish, const char *text) {
    if (!parse_size(text, &wish->width, &wish->height))
        return TAKEN_WRONG;
    sdimage_decode_options_set_thumbnail_size(wish->decoding, wish->width, wish->height, true);
    return TAKEN;
}

static taken take_format(picture_wish *wish, const char *text) {
    char name[16];
    snprintf(name, sizeof name, ".%s", text);
    wish->format = sdimage_format_of_name(name);
    return wish->format != SDIMAGE_FORMAT_UNDEFINED && sdimage_can_encode(wish->format) ? TAKEN : TAKEN_WRONG;
}

static taken add_transform(picture_wish *wish, const char *text) {
    sdimage_transformer *one = NULL, *both = NULL;
    taken taken = parse_transform(text, &one);
    if (taken != TAKEN)
        return taken;
    if (!wish->transformer) {
        wish->transformer = one;
        return TAKEN;
    }
    sdimage_transformer *parts[] = {wish->transformer, one};
    sdimage_error *error = NULL;
    if (sdimage_transformer_new_pipeline(parts, 2, &both, &error) < 0)
        complain_of(text, error);
    sdimage_transformer_unref(one);
    sdimage_transformer_unref(wish->transformer);
    wish->transformer = both;
    return both ? TAKEN : TAKEN_TOLD;
}

bool open_picture_wish(picture_wish *wish) {
    wish->format = SDIMAGE_FORMAT_UNDEFINED;
    wish->encoding = sdimage_encode_options_new();
    wish->decoding = sdimage_decode_options_new();
    return wish->encoding && wish->decoding;
}

void close_picture_wish(picture_wish *wish) {
    sdimage_encode_options_unref(wish->encoding);
    sdimage_decode_options_unref(wish->decoding);
    sdimage_transformer_unref(wish->transformer);
}

taken take_picture_option(picture_wish *wish, option_id option, const char *text) {
    switch (option) {
    case OPTION_THUMBNAIL: return take_thumbnail(wish, text);
    case OPTION_TRANSFORM: return add_transform(wish, text);
    case OPTION_QUALITY: return take_quality(wish, text);
    case OPTION_MAX_BYTES: return take_max_bytes(wish, text);
    case OPTION_FORMAT: return take_format(wish, text);
    case OPTION_LOSSLESS: sdimage_encode_options_set_lossless(wish->encoding, true); return TAKEN;
    case OPTION_FIRST_FRAME: sdimage_decode_options_set_first_frame_only(wish->decoding, true); return TAKEN;
    default: return TAKEN_WRONG;
    }
}

bool check_output(const command_row *command, const char *output, const picture_wish *wish) {
    if (wish->format != SDIMAGE_FORMAT_UNDEFINED || !strcmp(output, "-") || pixel_file_of(output) ||
        sdimage_format_of_name(output) != SDIMAGE_FORMAT_UNDEFINED)
        return true;
    complain("%s: %s: a name that tells no format; see --format", command->name, output);
    return false;
}

static bool encode(const char *path, const sdimage_image *image, const picture_wish *wish, sdimage_error **error) {
    sdimage_data *data = NULL;
    if (strcmp(path, "-"))
        return sdimage_encode_file(image, path, wish->format, wish->encoding, error) >= 0;
    if (sdimage_encode(image, wish->format, wish->encoding, &data, error) < 0)
        return false;
    bool is_fine = write_bytes(path, sdimage_data_bytes(data), sdimage_data_length(data), error);
    sdimage_data_unref(data);
    return is_fine;
}

bool write_picture(const char *path, const sdimage_image *image, const picture_wish *wish, sdimage_image **written,
                   sdimage_error **error) {
    pixel_file kind = wish->format == SDIMAGE_FORMAT_UNDEFINED ? pixel_file_of(path) : PIXEL_FILE_NONE;
    sdimage_image *result = NULL;
    if (!wish->transformer)
        result = sdimage_image_ref((sdimage_image *)image);
    else if (sdimage_image_transform_frames(image, wish->transformer, &result, error) < 0)
        return false;
    if (kind ? write_pixels(path, kind, result, error) : encode(path, result, wish, error)) {
        *written = result;
        return true;
    }
    sdimage_image_unref(result);
    return false;
}
