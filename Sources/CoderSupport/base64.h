/* base64.h: Base 64 (RFC 4648, sections 4 and 5), decoded in place. */
#ifndef SDCS_BASE64_H
#define SDCS_BASE64_H

#include <stddef.h>
#include <stdint.h>

/* Decodes digits of either alphabet and ignores other characters, padding and white space among them; returns the new
 * length. Bits that make no whole byte are dropped. */
size_t sdcs_base64_decode(uint8_t *bytes, size_t length);

#endif
