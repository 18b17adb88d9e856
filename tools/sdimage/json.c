/* json.c: writes JSON, and prints the library's JSON objects as text (see json.h). Output errors show when main flushes
 * stdout. */
#include "json.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "messages.h"

/* Length of the UTF-8 sequence (RFC 3629, section 4) at the start of a text; 0 if it is invalid. */
static size_t sequence_length(const char *text) {
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = *bytes < 0x80   ? 1
                    : *bytes < 0xc2 ? 0
                    : *bytes < 0xe0 ? 2
                    : *bytes < 0xf0 ? 3
                    : *bytes < 0xf5 ? 4
                                    : 0;
    /* Bounds of the second byte: excludes overlong forms, surrogates and code points above 10FFFF. */
    unsigned char least = *bytes == 0xe0 ? 0xa0 : *bytes == 0xf0 ? 0x90 : 0x80;
    unsigned char most = *bytes == 0xed ? 0x9f : *bytes == 0xf4 ? 0x8f : 0xbf;
    for (size_t i = 1; i < length; i++, least = 0x80, most = 0xbf) {
        if (bytes[i] < least || bytes[i] > most)
            return 0;
    }
    return length;
}

void put_json_string(FILE *out, const char *text) {
    fputc('"', out);
    for (size_t length; *text; text += length ? length : 1) {
        unsigned char byte = (unsigned char)*text;
        length = sequence_length(text);
        if (byte == '"' || byte == '\\')
            fprintf(out, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7f)
            fprintf(out, "\\u%04x", byte);
        else if (length)
            fwrite(text, 1, length, out);
        else
            fprintf(out, "\\udc%02x", byte); /* file names may be any bytes: a lone surrogate, as in Python */
    }
    fputc('"', out);
}

/* Writes what precedes a value: a brace or comma, and the name. */
static void begin_member(json *object, const char *name) {
    fputc(object->has_members ? ',' : '{', object->out);
    put_json_string(object->out, name);
    fputc(':', object->out);
    object->has_members = true;
}

json begin_json(FILE *out, const char *name, const char *text) {
    json object = {out, false};
    add_json_text(&object, name, text);
    return object;
}

void add_json_text(json *object, const char *name, const char *text) {
    begin_member(object, name);
    put_json_string(object->out, text);
}

void add_json_literal(json *object, const char *name, const char *format, ...) {
    va_list arguments;
    begin_member(object, name);
    va_start(arguments, format);
    vfprintf(object->out, format, arguments);
    va_end(arguments);
}

void end_json(json *object) {
    fputs("}\n", object->out);
}

/* Writes the members of an error, and ends the object. */
static void put_failure(json *object, const sdimage_error *error) {
    add_json_text(object, "error", sdimage_status_name(sdimage_error_code(error)));
    add_json_text(object, "message", sdimage_error_message(error));
    if (sdimage_error_http_status(error))
        add_json_literal(object, "http_status", "%d", sdimage_error_http_status(error));
    end_json(object);
}

void report_failure(bool json, const char *name, const char *subject, sdimage_error *error) {
    if (json) {
        struct json object = begin_json(stdout, name, subject);
        put_failure(&object, error);
    }
    report_error(subject, error);
}

void report_write_failure(bool json, const char *name, const char *subject, const char *output, sdimage_error *error) {
    if (json) {
        struct json object = begin_json(stdout, name, subject);
        add_json_text(&object, "output", output);
        put_failure(&object, error);
    }
    report_error(output, error);
}

sdimage_error *error_of_errno(int problem) {
    sdimage_status status = problem == ENOENT || problem == ENOTDIR ? SDIMAGE_STATUS_NOT_FOUND
                            : problem == EACCES || problem == EPERM ? SDIMAGE_STATUS_PERMISSION_DENIED
                            : problem == EISDIR                     ? SDIMAGE_STATUS_NOT_A_FILE
                            : problem == ENOMEM                     ? SDIMAGE_STATUS_NO_MEMORY
                            : problem == ENOSPC                     ? SDIMAGE_STATUS_DISK_FULL
                                                                    : SDIMAGE_STATUS_IO_ERROR;
    return sdimage_error_new(status, strerror(problem));
}

/* A position in a JSON text that the library wrote, and that is therefore well formed. */
typedef struct cursor {
    const char *next, *end;
} cursor;

/* Skips spaces, commas and colons, and returns the next character; NUL at the end. */
static char peek(cursor *at) {
    while (at->next < at->end && strchr(" \t\r\n,:", *at->next))
        at->next++;
    return at->next < at->end ? *at->next : '\0';
}

/* Prints a string without its quotes, unescaping only quotes, backslashes and slashes; or a number or word. */
static void put_scalar(FILE *out, cursor *at) {
    if (peek(at) == '"') {
        for (at->next++; at->next < at->end && *at->next != '"'; at->next++) {
            /* Escapes of control characters remain, so that none reaches the terminal. */
            if (*at->next == '\\' && at->next + 1 < at->end && strchr("\"\\/", at->next[1]))
                at->next++;
            fputc(*at->next, out);
        }
        at->next += at->next < at->end;
        return;
    }
    while (at->next < at->end && !strchr(" \t\r\n,:]}", *at->next))
        fputc(*at->next++, out);
}

static void put_value(FILE *out, cursor *at, int indent);

/* Prints the members of an object, a line for each. */
static void put_members(FILE *out, cursor *at, int indent) {
    for (at->next++; peek(at) && *at->next != '}';) {
        fprintf(out, "%*s", indent, "");
        put_scalar(out, at);
        fputc(':', out);
        put_value(out, at, indent + 2);
    }
    at->next += at->next < at->end;
}

/* Prints the elements of an array on one line, unless they are objects or arrays. */
static void put_elements(FILE *out, cursor *at, int indent) {
    for (at->next++; peek(at) && *at->next != ']';) {
        fputc(' ', out);
        if (*at->next == '{' || *at->next == '[')
            put_value(out, at, indent);
        else
            put_scalar(out, at);
    }
    at->next += at->next < at->end;
    fputc('\n', out);
}

/* Prints a value after its name. */
static void put_value(FILE *out, cursor *at, int indent) {
    switch (peek(at)) {
    case '{':
        fputc('\n', out);
        put_members(out, at, indent);
        break;
    case '[': put_elements(out, at, indent); break;
    default:
        fputc(' ', out);
        put_scalar(out, at);
        fputc('\n', out);
    }
}

void put_object_as_text(FILE *out, const char *json, size_t length, int indent) {
    cursor at = {json, json + length};
    if (peek(&at) == '{')
        put_members(out, &at, indent);
}
