/* cli.h: what the files of the command share. */
#ifndef SDIMAGE_CLI_H
#define SDIMAGE_CLI_H

#include <stdio.h>

#include <sdimage.h>

/* Exit statuses that scripts rely on. */
enum { EXIT_FINE = 0, EXIT_NO_IMAGE = 1, EXIT_USAGE = 2 };

/* One for each command; `argv[0]` is the command's name. The result is the exit status. */
int run_get(int argc, char **argv);
int run_cache(int argc, char **argv);
int run_convert(int argc, char **argv);
int run_frames(int argc, char **argv);
int run_info(int argc, char **argv);
int run_photos(int argc, char **argv);
int run_prefetch(int argc, char **argv);
int run_play(int argc, char **argv);
int run_doctor(int argc, char **argv);

/* One line on stderr, after whatever progress stands there. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "sdimage: SUBJECT: CODE: message", and gives the error back. */
void complain_of(const char *subject, sdimage_error *error);

/* A line on stderr that the next one replaces; nothing where stderr is no terminal. */
void show_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes text as a JSON string, quotes included. */
void put_json_string(FILE *out, const char *text);

/* Prints a JSON object for people: a line for each value, nested objects indented by two more columns. */
void put_object_as_text(FILE *out, const char *json, size_t length, int indent);

/* Whether an argument is a URL rather than the name of a file. */
bool is_url(const char *text);

/* A file's path as a file: URL (RFC 8089), all but unreserved characters escaped; the caller frees it. NULL after a line
 * on stderr. */
char *url_of_file(const char *path);

/* A URL as it is shown: of a data: URL only what stands before the data. */
void shorten_url(const char *url, char *text, size_t size);

/* Which kind of file pixels can be written to by its name: .ppm, .pam, or neither. */
typedef enum pixel_file { PIXEL_FILE_NONE, PIXEL_FILE_PPM, PIXEL_FILE_PAM } pixel_file;
pixel_file pixel_file_of(const char *path);

/* Write to `path`, or to standard output for "-". A file that could not be written in full is removed again. False
 * after a line on stderr. */
/* The whole of a file, or of standard input for "-", in memory that the caller frees; NULL after a line on stderr. */
void *read_file(const char *path, size_t *length);

bool write_bytes(const char *path, const void *bytes, size_t length);
bool write_pixels(const char *path, pixel_file kind, const sdimage_image *image);

/* --- How pictures are decoded, changed and written: options that get, convert and frames share. */

typedef struct picture_wish {
    sdimage_decode_options *decoding;
    sdimage_encode_options *encoding;
    sdimage_transformer *transformer; /* NULL for none */
    sdimage_format format;            /* UNDEFINED: as the name of the output says */
    uint32_t width, height;           /* of the thumbnail; 0 for none */
} picture_wish;

enum {
    PICTURE_THUMBNAIL = 256,
    PICTURE_TRANSFORM,
    PICTURE_QUALITY,
    PICTURE_MAX_BYTES,
    PICTURE_LOSSLESS,
    PICTURE_FIRST_FRAME,
    PICTURE_FORMAT
};

/* Rows of a `struct option` table. */
#define PICTURE_OPTIONS                                                                              \
    {"thumbnail", required_argument, NULL, PICTURE_THUMBNAIL},                                       \
        {"transform", required_argument, NULL, PICTURE_TRANSFORM},                                   \
        {"quality", required_argument, NULL, PICTURE_QUALITY},                                       \
        {"max-bytes", required_argument, NULL, PICTURE_MAX_BYTES},                                   \
        {"lossless", no_argument, NULL, PICTURE_LOSSLESS},                                           \
        {"first-frame", no_argument, NULL, PICTURE_FIRST_FRAME},                                     \
    {                                                                                                \
        "format", required_argument, NULL, PICTURE_FORMAT                                            \
    }

/* False when memory is refused; to be closed all the same. */
bool open_picture_wish(picture_wish *wish);
void close_picture_wish(picture_wish *wish);

/* One of these options with its argument. False after a line on stderr. */
bool parse_picture_option(const char *command, int option, const char *text, picture_wish *wish);

/* Transforms and writes a picture as its name, or the format wished for, says. False after a line on stderr. */
bool write_picture(const char *path, const sdimage_image *image, const picture_wish *wish);

/* A transformer as it is written on the command line. False after a line on stderr. */
bool parse_transform(const char *command, const char *text, sdimage_transformer **made);

/* "256x192", both at least 1; and "#rrggbb" or "#rrggbbaa". */
bool parse_size(const char *text, uint32_t *width, uint32_t *height);
bool parse_color(const char *text, sdimage_color *color);

#endif
