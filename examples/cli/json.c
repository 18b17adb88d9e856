/* json.c: JSON out, and the library's JSON objects as text. */
#include <string.h>

#include "cli.h"

void put_json_string(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            fprintf(out, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7f)
            fprintf(out, "\\u%04x", byte);
        else
            fputc(byte, out);
    }
    fputc('"', out);
}

/* A place in a JSON text that the library wrote, and which is therefore known to be well formed. */
typedef struct cursor {
    const char *next, *end;
} cursor;

static char peek(cursor *at) {
    while (at->next < at->end && strchr(" \t\r\n,:", *at->next))
        at->next++;
    return at->next < at->end ? *at->next : '\0';
}

/* A string without its quotes, escapes but those of quotes and slashes left as they are; or a number or word. */
static void put_scalar(FILE *out, cursor *at) {
    if (peek(at) == '"') {
        for (at->next++; at->next < at->end && *at->next != '"'; at->next++) {
            /* What stands for a control character stays, so that no terminal obeys it. */
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

static void put_members(FILE *out, cursor *at, int indent) {
    for (at->next++; peek(at) && *at->next != '}';) {
        fprintf(out, "%*s", indent, "");
        put_scalar(out, at);
        fputc(':', out);
        put_value(out, at, indent + 2);
    }
    at->next += at->next < at->end;
}

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

static void put_value(FILE *out, cursor *at, int indent) {
    switch (peek(at)) {
    case '{':
        fputc('\n', out);
        put_members(out, at, indent);
        break;
    case '[':
        put_elements(out, at, indent);
        break;
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
