/* picture.c: what get, convert and frames have in common: how a picture is changed and written. */
#include <getopt.h>
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

static bool parse_quality(const char *command, const char *text, picture_wish *wish) {
    char *end = NULL;
    double quality = strtod(text, &end);
    if (end == text || *end || !(quality >= 0 && quality <= 1)) {
        complain("%s: --quality lies between 0 and 1", command);
        return false;
    }
    sdimage_encode_options_set_quality(wish->encoding, quality);
    return true;
}

static bool parse_bytes(const char *command, const char *text, picture_wish *wish) {
    char *end = NULL;
    unsigned long long bytes = strtoull(text, &end, 10);
    if (*text < '1' || *text > '9' || *end || bytes > SIZE_MAX) {
        complain("%s: --max-bytes wants a number of bytes", command);
        return false;
    }
    sdimage_encode_options_set_max_file_size(wish->encoding, (size_t)bytes);
    return true;
}

static bool add_transform(const char *command, const char *text, picture_wish *wish) {
    sdimage_transformer *one = NULL, *both = NULL;
    if (!parse_transform(command, text, &one))
        return false;
    if (!wish->transformer) {
        wish->transformer = one;
        return true;
    }
    sdimage_transformer *parts[] = {wish->transformer, one};
    sdimage_error *error = NULL;
    if (sdimage_transformer_new_pipeline(parts, 2, &both, &error) < 0)
        complain_of(command, error);
    sdimage_transformer_unref(one);
    sdimage_transformer_unref(wish->transformer);
    wish->transformer = both;
    return both != NULL;
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

bool parse_picture_option(const char *command, int option, const char *text, picture_wish *wish) {
    char name[16];
    switch (option) {
    case PICTURE_THUMBNAIL:
        if (!parse_size(text, &wish->width, &wish->height)) {
            complain("%s: --thumbnail wants WxH in pixels, such as 256x256", command);
            return false;
        }
        sdimage_decode_options_set_thumbnail_size(wish->decoding, wish->width, wish->height, true);
        return true;
    case PICTURE_TRANSFORM:
        return add_transform(command, text, wish);
    case PICTURE_QUALITY:
        return parse_quality(command, text, wish);
    case PICTURE_MAX_BYTES:
        return parse_bytes(command, text, wish);
    case PICTURE_LOSSLESS:
        sdimage_encode_options_set_lossless(wish->encoding, true);
        return true;
    case PICTURE_FIRST_FRAME:
        sdimage_decode_options_set_first_frame_only(wish->decoding, true);
        return true;
    case PICTURE_FORMAT:
        snprintf(name, sizeof name, ".%s", text);
        wish->format = sdimage_format_of_name(name);
        if (wish->format == SDIMAGE_FORMAT_UNDEFINED || !sdimage_can_encode(wish->format)) {
            complain("%s: the format '%s' is not written here", command, text);
            return false;
        }
        return true;
    default:
        return false;
    }
}

/* The picture as it was asked for: `image` itself where nothing was. */
static sdimage_image *changed(const char *path, const sdimage_image *image, const picture_wish *wish) {
    sdimage_image *result = NULL;
    sdimage_error *error = NULL;
    if (!wish->transformer)
        return sdimage_image_ref((sdimage_image *)image);
    if (sdimage_image_transform_frames(image, wish->transformer, &result, &error) < 0)
        complain_of(path, error);
    return result;
}

static bool encode(const char *path, const sdimage_image *image, const picture_wish *wish) {
    sdimage_data *data = NULL;
    sdimage_error *error = NULL;
    bool is_fine = true;
    if (strcmp(path, "-")) {
        is_fine = sdimage_encode_file(image, path, wish->format, wish->encoding, &error) >= 0;
    } else if (sdimage_encode(image, wish->format, wish->encoding, &data, &error) < 0) {
        is_fine = false;
    } else if (!write_bytes(path, sdimage_data_bytes(data), sdimage_data_length(data))) {
        sdimage_data_unref(data);
        return false;
    }
    sdimage_data_unref(data);
    if (!is_fine)
        complain_of(path, error);
    return is_fine;
}

bool write_picture(const char *path, const sdimage_image *image, const picture_wish *wish) {
    pixel_file kind = wish->format == SDIMAGE_FORMAT_UNDEFINED ? pixel_file_of(path) : PIXEL_FILE_NONE;
    sdimage_image *result = changed(path, image, wish);
    if (!result)
        return false;
    bool is_fine = kind ? write_pixels(path, kind, result) : encode(path, result, wish);
    sdimage_image_unref(result);
    return is_fine;
}
