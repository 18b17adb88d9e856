/* url.h: URLs and the names of files. */
#ifndef SDIMAGE_CLI_URL_H
#define SDIMAGE_CLI_URL_H

#include <stdbool.h>
#include <stddef.h>

#include <sdimage.h>

/* True if an argument is a URL, not the name of a file. */
bool is_url(const char *text);

/* A file's path as a file: URL (RFC 8089) with everything but unreserved characters escaped. The caller frees it.
 * Returns NULL and sets errno on failure. */
char *url_of_file(const char *path);

/* The error of a file that could not be read, from errno. That of a URL names the command that loads it. */
sdimage_error *error_of_file(const char *path);

/* A URL as it is displayed; a data: URL is cut before its data. */
void shorten_url(const char *url, char *text, size_t size);

#endif
