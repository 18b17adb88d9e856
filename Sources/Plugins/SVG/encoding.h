/* encoding.h: the encodings in which the bytes of ASCII characters stand for nothing else. */
#ifndef SDSVG_ENCODING_H
#define SDSVG_ENCODING_H

#include <stdbool.h>

/* Reports that markup has the bytes of ASCII in an encoding, in any spelling of its name: attributes.c finds it there.
 * Encodings with escapes (UTF-7, ISO-2022) or other bytes (EBCDIC, UTF-16) hide it. */
bool sdsvg_is_ascii_compatible(const char *encoding);

#endif
