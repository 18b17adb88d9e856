/* cli.h: declarations that the files of the command share. */
#ifndef SDIMAGE_CLI_H
#define SDIMAGE_CLI_H

#include <stdio.h>

#include <sdimage.h>

#include "arguments.h"
#include "commands.h"
#include "isolation.h"
#include "messages.h"

/* Exit statuses that scripts rely on. */
enum { EXIT_FINE = 0, EXIT_NO_IMAGE = 1, EXIT_USAGE = 2 };

/* One function for each command or group of commands. argv[0] is the last word of the command's name. Returns the exit
 * status. */
int run_bench(const command_row *command, int argc, char **argv);
int run_cache(const command_row *command, int argc, char **argv);
int run_completion(const command_row *command, int argc, char **argv);
int run_convert(const command_row *command, int argc, char **argv);
int run_doctor(const command_row *command, int argc, char **argv);
int run_frames(const command_row *command, int argc, char **argv);
int run_get(const command_row *command, int argc, char **argv);
int run_info(const command_row *command, int argc, char **argv);
int run_photos(const command_row *command, int argc, char **argv);
int run_play(const command_row *command, int argc, char **argv);
int run_prefetch(const command_row *command, int argc, char **argv);
int run_thumb(const command_row *command, int argc, char **argv);

/* --- JSON: an object on a line of its own. Bytes that are not valid UTF-8 become lone surrogates, as in Python. */

typedef struct json {
    FILE *out;
    bool has_members;
} json;

/* Begins an object with its first member. */
json begin_json(FILE *out, const char *name, const char *text);
void add_json_text(json *object, const char *name, const char *text);
/* Adds a number, a word or an array that is already JSON. */
void add_json_literal(json *object, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void end_json(json *object);

/* Writes text as a JSON string, quotes included. */
void put_json_string(FILE *out, const char *text);

/* Prints on stderr why there is no image. With `json`, also prints an object with NAME (the subject), "error",
 * "message" and, if available, "http_status" on stdout. Releases the error. */
void report_failure(bool json, const char *name, const char *subject, sdimage_error *error);

/* The same for a file that could not be written; the object also has "output". */
void report_write_failure(bool json, const char *name, const char *subject, const char *output, sdimage_error *error);

/* An errno as an error, which the caller releases. */
sdimage_error *error_of_errno(int problem);

/* Prints a JSON object as readable text: a line for each value, nested objects indented by two more columns. */
void put_object_as_text(FILE *out, const char *json, size_t length, int indent);

/* True if an argument is a URL, not the name of a file. */
bool is_url(const char *text);

/* A file's path as a file: URL (RFC 8089) with everything but unreserved characters escaped. The caller frees it.
 * Returns NULL and sets errno on failure. */
char *url_of_file(const char *path);

/* A URL as it is displayed; a data: URL is cut before its data. */
void shorten_url(const char *url, char *text, size_t size);

/* The pixel file format that a file name selects: .ppm, .pam, .pfm, or none of them. */
typedef enum pixel_file { PIXEL_FILE_NONE, PIXEL_FILE_PPM, PIXEL_FILE_PAM, PIXEL_FILE_PFM } pixel_file;
pixel_file pixel_file_of(const char *path);

/* Reads a whole file, or standard input for "-", into memory that the caller frees. Returns NULL and sets errno on
 * failure. */
void *read_file(const char *path, size_t *length);

/* Write to `path`, or to standard output for "-". An incompletely written file is removed. */
bool write_bytes(const char *path, const void *bytes, size_t length, sdimage_error **error);
bool write_pixels(const char *path, pixel_file kind, const sdimage_image *image, sdimage_error **error);

/* Adds the length of a file to an object; adds nothing for standard output. */
void add_json_length(json *object, const char *path);

/* --- Image options: how images are decoded, transformed and written. */

typedef struct image_options {
    sdimage_decode_options *decoding;
    sdimage_encode_options *encoding;
    sdimage_transformer *transformer; /* NULL for none */
    sdimage_format format;            /* UNKNOWN: by the name of the output */
    uint32_t width, height;           /* size of the thumbnail; 0 for none */
} image_options;

/* Returns false when memory is refused; the structure must be closed in either case. */
bool init_image_options(image_options *options);
void release_image_options(image_options *options);

/* Applies one image option with its argument. */
parse_result set_image_option(image_options *options, option_id option, const char *text);

/* Checks that the output format is known, either from the options or from the name of the output. Returns false
 * after printing a line on stderr. */
bool check_output(const command_row *command, const char *output, const image_options *options);

/* Transforms an image and writes it in the requested format, or in that of the file name. *written receives the
 * resulting image, which the caller releases. */
bool write_image(const char *path, const sdimage_image *image, const image_options *options, sdimage_image **written,
                 sdimage_error **error);

/* Parses a transformer in the notation of the command line. */
parse_result parse_transform(const char *text, sdimage_transformer **transformer);

/* Parse "256x192", both at least 1, and "#rrggbb" or "#rrggbbaa". */
bool parse_size(const char *text, uint32_t *width, uint32_t *height);
bool parse_color(const char *text, sdimage_color *color);

#endif
