/* uri.h: file: URIs as thumbnails know them, and ph: URLs. */
#ifndef SDPHOTO_URI_H
#define SDPHOTO_URI_H

#include <stdbool.h>
#include <stddef.h>

/* The file: URI of an absolute path, to be freed; NULL when memory is refused. */
char *sdphoto_file_uri(const char *path);

/* Whether a URL has the scheme "ph". */
bool sdphoto_is_ph(const char *url, size_t length);

/* Bytes behind "%" decoded, to be freed; NULL where a NUL would be among them, a "%" has no two digits behind it, or
 * memory is refused. */
char *sdphoto_decoded(const char *text, size_t length);

/* Longest identifier, in bytes. */
enum { SDPHOTO_IDENTIFIER_LIMIT = 1024 };

#endif
