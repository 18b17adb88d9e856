/* cli.h: what the files of the command share. */
#ifndef SDIMAGE_CLI_H
#define SDIMAGE_CLI_H

#include <stdio.h>

#include <sdimage.h>

#include "commands.h"

/* Exit statuses that scripts rely on. */
enum { EXIT_FINE = 0, EXIT_NO_IMAGE = 1, EXIT_USAGE = 2 };

/* One for each row of the table; the result is the exit status. */
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
int run_serve(const command_row *command, int argc, char **argv);
int run_thumb(const command_row *command, int argc, char **argv);

/* Writes a text so that it neither ends the line nor speaks to the terminal: a question mark for each control
   character. */
void put_plain(FILE *out, const char *text);

/* One line on stderr, after whatever progress stands there. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "sdimage: SUBJECT: CODE: message", and gives the error back. */
void complain_of(const char *subject, sdimage_error *error);

/* A line on stderr that the next one replaces; nothing where stderr is no terminal. */
void show_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- JSON: an object on a line of its own. Bytes of a text that are no UTF-8 become halves of surrogates, as in
   Python. */

typedef struct json {
    FILE *out;
    bool has_members;
} json;

/* An object with its first member. */
json begin_json(FILE *out, const char *name, const char *text);
void add_json_text(json *object, const char *name, const char *text);
/* A number, a word or an array as it stands in JSON. */
void add_json_literal(json *object, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void end_json(json *object);

/* Writes text as a JSON string, quotes included. */
void put_json_string(FILE *out, const char *text);

/* Tells on stderr why there is no picture and, where JSON is wanted, on stdout by an object of NAME (the subject),
 * "error", "message" and, where there is one, "http_status". Gives the error back. */
void tell_failure(bool json, const char *name, const char *subject, sdimage_error *error);

/* The same of a file that could not be written; the object has "output" too. */
void tell_unwritten(bool json, const char *name, const char *subject, const char *output, sdimage_error *error);

/* An errno as an error, the caller's. */
sdimage_error *error_of_errno(int problem);

/* Prints a JSON object for people: a line for each value, nested objects indented by two more columns. */
void put_object_as_text(FILE *out, const char *json, size_t length, int indent);

/* Whether an argument is a URL rather than the name of a file. */
bool is_url(const char *text);

/* A file's path as a file: URL (RFC 8089), all but unreserved characters escaped; the caller frees it. NULL with
   errno. */
char *url_of_file(const char *path);

/* A URL as it is shown: of a data: URL only what stands before the data. */
void shorten_url(const char *url, char *text, size_t size);

/* Which kind of file pixels can be written to by its name: .ppm, .pam, or neither. */
typedef enum pixel_file { PIXEL_FILE_NONE, PIXEL_FILE_PPM, PIXEL_FILE_PAM } pixel_file;
pixel_file pixel_file_of(const char *path);

/* The whole of a file, or of standard input for "-", in memory that the caller frees; NULL with errno. */
void *read_file(const char *path, size_t *length);

/* Write to `path`, or to standard output for "-". A file that could not be written in full is removed again. */
bool write_bytes(const char *path, const void *bytes, size_t length, sdimage_error **error);
bool write_pixels(const char *path, pixel_file kind, const sdimage_image *image, sdimage_error **error);

/* Adds to an object the length of a file; nothing for standard output. */
void add_json_length(json *object, const char *path);

/* --- How pictures are decoded, changed and written: the picture options. */

typedef struct picture_wish {
    sdimage_decode_options *decoding;
    sdimage_encode_options *encoding;
    sdimage_transformer *transformer; /* NULL for none */
    sdimage_format format;            /* UNDEFINED: as the name of the output says */
    uint32_t width, height;           /* of the thumbnail; 0 for none */
} picture_wish;

/* False when memory is refused; to be closed all the same. */
bool open_picture_wish(picture_wish *wish);
void close_picture_wish(picture_wish *wish);

/* One of the picture options with its argument. */
taken take_picture_option(picture_wish *wish, option_id option, const char *text);

/* Whether the options of writing and the name of the output fit together: the format must be told by one of them. False
 * after a line on stderr. */
bool check_output(const command_row *command, const char *output, const picture_wish *wish);

/* Transforms and writes a picture as its name, or the format wished for, says. *written, the caller's, is what it had
   become. */
bool write_picture(const char *path, const sdimage_image *image, const picture_wish *wish, sdimage_image **written,
                   sdimage_error **error);

/* A transformer as it is written on the command line. */
taken parse_transform(const char *text, sdimage_transformer **made);

/* "256x192", both at least 1; and "#rrggbb" or "#rrggbbaa". */
bool parse_size(const char *text, uint32_t *width, uint32_t *height);
bool parse_color(const char *text, sdimage_color *color);

#endif
