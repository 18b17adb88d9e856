/* image.c: options for decoding, transforming and writing an image, shared by get, convert, frames and photos (see
 * image.h). */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arguments.h"
#include "commands.h"
#include "files.h"
#include "messages.h"
#include "transform.h"

bool parse_size(const char *text, uint32_t *width, uint32_t *height) {
    char *end = NULL;
    unsigned long values[2];
    for (int i = 0; i < 2; i++, text = end + 1) {
        /* strtoul would accept spaces and signs. */
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

/* Each sets one option; INVALID if the argument is not what the option requires. */
static parse_result set_quality(image_options *options, const char *text) {
    char *end = NULL;
    double quality = strtod(text, &end);
    /* Written so that NaN is refused. */
    if (end == text || *end || !(quality >= 0 && quality <= 1))
        return PARSE_INVALID;
    sdimage_encode_options_set_quality(options->encoding, quality);
    return PARSE_OK;
}

static parse_result set_max_bytes(image_options *options, const char *text) {
    unsigned long long bytes;
    if (!parse_number(text, 1, SIZE_MAX, &bytes))
        return PARSE_INVALID;
    sdimage_encode_options_set_max_file_size(options->encoding, (size_t)bytes);
    return PARSE_OK;
}

static parse_result set_thumbnail(image_options *options, const char *text) {
    if (!parse_size(text, &options->width, &options->height))
        return PARSE_INVALID;
    sdimage_decode_options_set_thumbnail_size(options->decoding, options->width, options->height,
                                              SDIMAGE_SCALE_MODE_ASPECT_FIT);
    return PARSE_OK;
}

static parse_result set_headroom(image_options *options, const char *text) {
    char *end = NULL;
    double stops = strtod(text, &end);
    if (end == text || *end || !(stops >= 0 && stops <= 32))
        return PARSE_INVALID;
    /* AUTOMATIC: the headroom chooses the rendition. */
    sdimage_decode_options_set_dynamic_range(options->decoding, SDIMAGE_DYNAMIC_RANGE_AUTOMATIC);
    sdimage_decode_options_set_display_headroom(options->decoding, stops);
    return PARSE_OK;
}

static parse_result set_range(image_options *options, sdimage_dynamic_range range) {
    sdimage_decode_options_set_dynamic_range(options->decoding, range);
    return PARSE_OK;
}

static parse_result set_format(image_options *options, const char *text) {
    char name[16];
    /* The library knows formats by extensions. */
    snprintf(name, sizeof name, ".%s", text);
    options->format = sdimage_format_of_name(name);
    return options->format != SDIMAGE_FORMAT_UNKNOWN && sdimage_can_encode(options->format) ? PARSE_OK : PARSE_INVALID;
}

/* Appends a transformer to those of earlier options. */
static parse_result add_transform(image_options *options, const char *text) {
    sdimage_transformer *one = NULL, *both = NULL;
    parse_result result = parse_transform(text, &one);
    if (result != PARSE_OK)
        return result;
    if (!options->transformer) {
        options->transformer = one;
        return PARSE_OK;
    }
    sdimage_transformer *parts[] = {options->transformer, one};
    sdimage_error *error = NULL;
    if (sdimage_transformer_new_pipeline(parts, 2, &both, &error) < 0)
        report_error(text, error);
    sdimage_transformer_unref(one);
    sdimage_transformer_unref(options->transformer);
    options->transformer = both;
    return both ? PARSE_OK : PARSE_REPORTED;
}

bool init_image_options(image_options *options) {
    options->format = SDIMAGE_FORMAT_UNKNOWN;
    options->encoding = sdimage_encode_options_new();
    options->decoding = sdimage_decode_options_new();
    /* Files with more than 8 bits a channel keep them. */
    sdimage_decode_options_set_pixel_format(options->decoding, SDIMAGE_PIXEL_FORMAT_NATIVE);
    return options->encoding && options->decoding;
}

void release_image_options(image_options *options) {
    sdimage_encode_options_unref(options->encoding);
    sdimage_decode_options_unref(options->decoding);
    sdimage_transformer_unref(options->transformer);
}

parse_result set_image_option(image_options *options, option_id option, const char *text) {
    switch (option) {
    case OPTION_THUMBNAIL: return set_thumbnail(options, text);
    case OPTION_TRANSFORM: return add_transform(options, text);
    case OPTION_QUALITY: return set_quality(options, text);
    case OPTION_MAX_BYTES: return set_max_bytes(options, text);
    case OPTION_FORMAT: return set_format(options, text);
    case OPTION_LOSSLESS: sdimage_encode_options_set_lossless(options->encoding, true); return PARSE_OK;
    case OPTION_FIRST_FRAME: sdimage_decode_options_set_first_frame_only(options->decoding, true); return PARSE_OK;
    case OPTION_HDR: return set_range(options, SDIMAGE_DYNAMIC_RANGE_HDR);
    case OPTION_SDR: return set_range(options, SDIMAGE_DYNAMIC_RANGE_SDR);
    case OPTION_HEADROOM: return set_headroom(options, text);
    default: return PARSE_INVALID;
    }
}

bool check_output(const command_row *command, const char *output, const image_options *options) {
    if (options->format != SDIMAGE_FORMAT_UNKNOWN || !strcmp(output, "-") || pixel_file_of(output) ||
        sdimage_format_of_name(output) != SDIMAGE_FORMAT_UNKNOWN)
        return true;
    if (*output && output[strlen(output) - 1] == '/')
        complain("%s: no such folder: %s", command->name, output);
    else
        complain("%s: unknown format of '%s'; use --format", command->name, output);
    return false;
}

/* Selects how the file holds the light of an HDR rendition; formats that cannot receive it tone-mapped. */
static void keep_light(const char *path, const image_options *options) {
    bool is_chosen = options->format != SDIMAGE_FORMAT_UNKNOWN;
    switch (is_chosen ? options->format : sdimage_format_of_name(path)) {
    case SDIMAGE_FORMAT_JPEG: sdimage_encode_options_set_embed_gain_map(options->encoding, true); break;
    case SDIMAGE_FORMAT_PNG:
    case SDIMAGE_FORMAT_HEIC:
    case SDIMAGE_FORMAT_AVIF:
    case SDIMAGE_FORMAT_JXL:
        sdimage_encode_options_set_transfer_characteristics(options->encoding, SDIMAGE_TRANSFER_CHARACTERISTICS_PQ);
        break;
    default: break;
    }
}

/* Prints a line if a file is larger than --max-bytes: no quality fits, or its format has none. */
static void note_size(const char *path, const image_options *options) {
    struct stat status;
    size_t most = sdimage_encode_options_max_file_size(options->encoding);
    if (most && stat(path, &status) == 0 && (size_t)status.st_size > most)
        complain("%s: %zu bytes, more than --max-bytes %zu", path, (size_t)status.st_size, most);
}

/* Encodes an image to a file, or to standard output for "-". */
static bool encode(const char *path, const sdimage_image *image, const image_options *options, sdimage_error **error) {
    sdimage_data *data = NULL;
    if (sdimage_image_is_hdr(image))
        keep_light(path, options);
    /* The library writes the file completely or not at all. Without a format it takes that of the name. */
    if (strcmp(path, "-")) {
        bool is_written = sdimage_encode_file(image, path, options->format, options->encoding, error) >= 0;
        if (is_written)
            note_size(path, options);
        return is_written;
    }
    if (sdimage_encode(image, options->format, options->encoding, &data, error) < 0)
        return false;
    bool is_fine = write_bytes(path, sdimage_data_bytes(data), sdimage_data_length(data), error);
    sdimage_data_unref(data);
    return is_fine;
}

bool write_image(const char *path, const sdimage_image *image, const image_options *options, sdimage_image **written,
                 sdimage_error **error) {
    pixel_file kind = options->format == SDIMAGE_FORMAT_UNKNOWN ? pixel_file_of(path) : PIXEL_FILE_NONE;
    sdimage_image *result = NULL;
    if (!options->transformer)
        /* The cast is safe, because only the reference count changes. */
        result = sdimage_image_ref((sdimage_image *)image);
    else if (sdimage_image_transform_frames(image, options->transformer, &result, error) < 0)
        return false;
    if (kind ? write_pixels(path, kind, result, error) : encode(path, result, options, error)) {
        *written = result;
        return true;
    }
    sdimage_image_unref(result);
    return false;
}
