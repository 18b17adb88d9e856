/* uri.h: file: URIs as used by thumbnails, and ph: URLs. */
#ifndef SDPHOTO_URI_H
#define SDPHOTO_URI_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the file: URI of an absolute path, to be freed; NULL if memory is exhausted. */
char *sdphoto_file_uri(const char *path);

/* Reports that a URL has the scheme "ph". */
bool sdphoto_is_ph(const char *url, size_t length);

/* Decodes percent-encoding, to be freed. NULL if the result would contain a NUL, a "%" lacks two digits, or memory is
 * exhausted. */
char *sdphoto_decoded(const char *text, size_t length);

/* Limit of an identifier in bytes. */
enum { SDPHOTO_IDENTIFIER_LIMIT = 1024 };

#endif
