/* transform.h: transformers and colors in the notation of the command line. */
#ifndef SDIMAGE_CLI_TRANSFORM_H
#define SDIMAGE_CLI_TRANSFORM_H

#include <sdimage.h>

#include "arguments.h"

/* Parses a transformer in the notation of the command line. The caller owns *transformer. INVALID for an unknown kind;
 * REPORTED for an invalid argument of a known one. */
parse_result parse_transform(const char *text, sdimage_transformer **transformer);

/* Parses "#rrggbb" or "#rrggbbaa". */
bool parse_color(const char *text, sdimage_color *color);

#endif
