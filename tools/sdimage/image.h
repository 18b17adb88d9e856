/* image.h: options of images: how they are decoded, transformed and written. */
#ifndef SDIMAGE_CLI_IMAGE_H
#define SDIMAGE_CLI_IMAGE_H

#include <sdimage.h>

#include "arguments.h"

/* The options of one command line. */
typedef struct image_options {
    sdimage_decode_options *decoding;
    sdimage_encode_options *encoding;
    sdimage_transformer *transformer; /* NULL for none */
    sdimage_format format;            /* UNKNOWN: by the name of the output */
    uint32_t width, height;           /* size of the thumbnail; 0 for none */
} image_options;

/* Returns false when memory is refused; the structure must be closed in either case. */
bool init_image_options(image_options *options);
void release_image_options(image_options *options);

/* Applies one image option with its argument. */
parse_result set_image_option(image_options *options, option_id option, const char *text);

/* Checks that the output format is known, either from the options or from the name of the output. Returns false
 * after printing a line on stderr. */
bool check_output(const command_row *command, const char *output, const image_options *options);

/* Transforms an image and writes it in the requested format, or in that of the file name. *written receives the
 * resulting image, which the caller releases. */
bool write_image(const char *path, const sdimage_image *image, const image_options *options, sdimage_image **written,
                 sdimage_error **error);

/* Parses "256x192", both at least 1. */
bool parse_size(const char *text, uint32_t *width, uint32_t *height);

#endif
