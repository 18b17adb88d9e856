/* percent.h: percent-encoding (RFC 3986, section 2.1), decoded in place. */
#ifndef SDCS_PERCENT_H
#define SDCS_PERCENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Replaces %xx by bytes and copies a "%" without two digits, as browsers do; returns the new length. */
size_t sdcs_percent_decode(uint8_t *bytes, size_t length);

/* Decodes a text that ends with a NUL. False if a "%" lacks two digits, or the result would contain a NUL. */
bool sdcs_percent_decode_text(char *text);

#endif
