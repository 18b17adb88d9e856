/* files.h: files that the command reads and writes. */
#ifndef SDIMAGE_CLI_FILES_H
#define SDIMAGE_CLI_FILES_H

#include <stdbool.h>

#include <sdimage.h>

#include "json.h"

/* The pixel file format that a file name selects: .ppm, .pam, .pfm, or none of them. */
typedef enum pixel_file { PIXEL_FILE_NONE, PIXEL_FILE_PPM, PIXEL_FILE_PAM, PIXEL_FILE_PFM } pixel_file;
pixel_file pixel_file_of(const char *path);

/* Reads a whole file, or standard input for "-", into memory that the caller frees. Returns NULL and sets errno on
 * failure. */
void *read_file(const char *path, size_t *length);

/* Write to `path`, or to standard output for "-". A regular file is written completely or not at all; it has the
 * permissions of the file that it replaces, also behind a symbolic link. A file without write permission is refused.
 * One that cannot be replaced, such as a mount point, receives the complete bytes; devices, pipes and names of open
 * files (/dev/fd) are written directly. */
bool write_bytes(const char *path, const void *bytes, size_t length, sdimage_error **error);
bool write_pixels(const char *path, pixel_file kind, const sdimage_image *image, sdimage_error **error);

/* Adds the length of a file to an object; adds nothing for standard output. */
void add_json_length(json *object, const char *path);

#endif
