/* css.h: CSS text in the form in which it is checked. */
#ifndef SDSVG_CSS_H
#define SDSVG_CSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Normalizes CSS text in place: removes escapes (CSS Syntax 3, 4.3.7) and characters that URLs ignore (tabs, line
 * ends), also escaped ones. Other escaped characters that would end a URL or a name become "?". Returns the new
 * length. */
size_t sdsvg_plain_css(uint8_t *text, size_t length);

/* Reports that a character may be part of a CSS name. */
bool sdsvg_is_in_name(uint8_t character);

#endif
