/* json.h: JSON output, an object on a line of its own. Bytes that are not valid UTF-8 become lone surrogates, as
 * in Python. */
#ifndef SDIMAGE_CLI_JSON_H
#define SDIMAGE_CLI_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include <sdimage.h>

/* An object that is being written. */
typedef struct json {
    FILE *out;
    bool has_members; /* a comma precedes the next one */
} json;

/* Begins an object with its first member. */
json begin_json(FILE *out, const char *name, const char *text);
void add_json_text(json *object, const char *name, const char *text);
/* Adds a number, a word or an array that is already JSON. */
void add_json_literal(json *object, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Ends the object and its line. */
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

#endif
