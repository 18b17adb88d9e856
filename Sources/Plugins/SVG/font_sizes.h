/* font_sizes.h: an upper bound of the font sizes that CSS sets. */
#ifndef SDSVG_FONT_SIZES_H
#define SDSVG_FONT_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest size in pixels, 0 for none, and the largest factor of an inherited size, 0 for none. */
typedef struct sdsvg_font_sizes {
    double pixels, factor;
} sdsvg_font_sizes;

/* Adds the sizes in the value of an attribute, if it is a property that changes the size of text, or the style
 * attribute. The text is normalized (css.h). */
void sdsvg_font_sizes_add(sdsvg_font_sizes *sizes, const char *attribute, const uint8_t *text, size_t length);

/* Adds those of CSS. Numbers in comments and strings may count, too. */
void sdsvg_font_sizes_add_css(sdsvg_font_sizes *sizes, const uint8_t *css, size_t length);

/* Adds the sizes of an element to those that it inherits: the larger pixels, and the product of the factors. */
void sdsvg_font_sizes_apply(const sdsvg_font_sizes *sizes, sdsvg_font_sizes *inherited);

/* Raises both numbers to those of other sizes. */
void sdsvg_font_sizes_raise(sdsvg_font_sizes *most, const sdsvg_font_sizes *sizes);

#endif
