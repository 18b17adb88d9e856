/* transform.h: transformers and colors in the notation of the command line. */
#ifndef SDIMAGE_CLI_TRANSFORM_H
#define SDIMAGE_CLI_TRANSFORM_H

#include <sdimage.h>

#include "arguments.h"

/* Parses a transformer in the notation of the command line. */
parse_result parse_transform(const char *text, sdimage_transformer **transformer);

/* Parses "#rrggbb" or "#rrggbbaa". */
bool parse_color(const char *text, sdimage_color *color);

#endif
