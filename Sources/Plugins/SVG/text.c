#include "text.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Bytes of text; what of it tells that it is SVG (SVGSniffer looks at as much). */
enum { MOST_TEXT = 32 << 20, HEAD = 4096 };

/* Elements, and pixels of all pictures inside. */
enum { MOST_ELEMENTS = 1000000 };
static const uint64_t MOST_PIXELS = (uint64_t)32 << 20;

/* --- Inflating (RFC 1952). */

static bool is_gzip(const uint8_t *bytes, size_t length) { return length > 18 && bytes[0] == 0x1F && bytes[1] == 0x8B; }

/* Inflates up to `room` bytes; false where the stream is damaged. */
static bool inflate_some(const uint8_t *bytes, size_t length, uint8_t *to, size_t room, size_t *got, bool *ended) {
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)(length < UINT32_MAX ? length : UINT32_MAX)};
    stream.next_out = to, stream.avail_out = (uInt)room;
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
        return false;
    int status = inflate(&stream, Z_SYNC_FLUSH);
    *got = room - stream.avail_out;
    *ended = status == Z_STREAM_END;
    inflateEnd(&stream);
    return status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR;
}

bool sdsvg_is_text(const void *bytes, size_t length) {
    uint8_t head[HEAD];
    size_t got = 0;
    bool ended;
    if (!is_gzip(bytes, length))
        return sdimage_sniff(bytes, length) == SDIMAGE_FORMAT_SVG;
    return inflate_some(bytes, length, head, sizeof head, &got, &ended) && sdimage_sniff(head, got) == SDIMAGE_FORMAT_SVG;
}

static sdimage_status inflate_text(const void *bytes, size_t length, sdsvg_text *text, sdimage_error **error) {
    bool ended = false;
    for (size_t room = 1 << 16;; room *= 8) {
        free(text->bytes);
        text->bytes = malloc(room);
        if (!text->bytes)
            return sdmod_fail(error, SDIMAGE_STATUS_NO_MEMORY, "no memory for the text");
        if (!inflate_some(bytes, length, text->bytes, room, &text->length, &ended))
            return sdmod_fail(error, SDIMAGE_STATUS_BAD_DATA, "damaged compression");
        if (ended)
            return SDIMAGE_STATUS_OK;
        if (text->length < room)
            return sdmod_fail(error, SDIMAGE_STATUS_TRUNCATED, "the bytes end amid the text");
        if (room >= MOST_TEXT)
            return sdmod_fail(error, SDIMAGE_STATUS_TOO_LARGE, "more than 32 MiB of text");
    }
}

sdimage_status sdsvg_text_of(const void *bytes, size_t length, sdsvg_text *text, sdimage_error **error) {
    *text = (sdsvg_text){NULL, 0};
    if (is_gzip(bytes, length))
        return inflate_text(bytes, length, text, error);
    if (length > MOST_TEXT)
        return sdmod_fail(error, SDIMAGE_STATUS_TOO_LARGE, "more than 32 MiB of text");
    text->bytes = malloc(length ? length : 1);
    if (!text->bytes)
        return sdmod_fail(error, SDIMAGE_STATUS_NO_MEMORY, "no memory for the text");
    memcpy(text->bytes, bytes, length);
    text->length = length;
    return SDIMAGE_STATUS_OK;
}

/* --- Pictures inside: data: URLs (RFC 2397). */

static int digit64(uint8_t c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

static int digit16(uint8_t c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* %xx becomes a byte, in place; returns how many there are. */
static size_t unescape(uint8_t *bytes, size_t length) {
    size_t made = 0;
    for (size_t i = 0; i < length; i++) {
        bool escaped = bytes[i] == '%' && length - i > 2 && digit16(bytes[i + 1]) >= 0 && digit16(bytes[i + 2]) >= 0;
        bytes[made++] = escaped ? (uint8_t)(digit16(bytes[i + 1]) << 4 | digit16(bytes[i + 2])) : bytes[i];
        i += escaped ? 2 : 0;
    }
    return made;
}

/* Base 64 becomes bytes, in place; what is no digit is passed over. */
static size_t decode64(uint8_t *bytes, size_t length) {
    size_t made = 0;
    uint32_t held = 0;
    int have = 0;
    for (size_t i = 0; i < length; i++) {
        int digit = digit64(bytes[i]);
        if (digit < 0)
            continue;
        held = held << 6 | (uint32_t)digit;
        have += 6;
        if (have >= 8) {
            have -= 8;
            bytes[made++] = (uint8_t)(held >> have);
        }
    }
    return made;
}

/* Pixels of an encoded picture; 0 where nobody knows. */
static uint64_t pixels_of(const uint8_t *bytes, size_t length) {
    sdimage_data *json = NULL;
    uint64_t sides[2] = {0, 0};
    static const char *const names[] = {"\"stored_width\":", "\"stored_height\":"};
    char text[512];
    if (sdimage_info(bytes, length, &json, NULL) < 0)
        return 0;
    size_t size = sdimage_data_length(json) < sizeof text ? sdimage_data_length(json) : sizeof text - 1;
    memcpy(text, sdimage_data_bytes(json), size);
    text[size] = 0;
    for (int i = 0; i < 2; i++) {
        const char *found = strstr(text, names[i]);
        sides[i] = found ? strtoull(found + strlen(names[i]), NULL, 10) : 0;
    }
    sdimage_data_unref(json);
    return sides[0] && sides[1] > UINT32_MAX / sides[0] ? UINT32_MAX : sides[0] * sides[1];
}

static bool is_taken(sdimage_format format) {
    return format == SDIMAGE_FORMAT_JPEG || format == SDIMAGE_FORMAT_PNG || format == SDIMAGE_FORMAT_GIF ||
           format == SDIMAGE_FORMAT_WEBP || format == SDIMAGE_FORMAT_BMP;
}

/* --- The check. */

typedef struct checker {
    xmlParserCtxtPtr parser;
    uint64_t pixels;
    size_t elements;
    sdimage_status status;
    const char *message;
} checker;

static void refuse(checker *checker, sdimage_status status, const char *message) {
    if (checker->status >= 0)
        checker->status = status, checker->message = message;
    xmlStopParser(checker->parser);
}

static void check_picture(checker *checker, uint8_t *bytes, size_t length) {
    if (!is_taken(sdimage_sniff(bytes, length))) {
        refuse(checker, SDIMAGE_STATUS_UNSUPPORTED, "a picture inside that is none of JPEG, PNG, GIF, WebP and BMP");
        return;
    }
    checker->pixels += pixels_of(bytes, length);
    if (checker->pixels > MOST_PIXELS)
        refuse(checker, SDIMAGE_STATUS_TOO_LARGE, "pictures inside of more than 32 Mi pixels");
}

/* The value of a reference, of which only data: URLs lead anywhere. */
static void check_reference(checker *checker, const xmlChar *value, size_t length) {
    static const char scheme[] = "data:", base64[] = ";base64";
    while (length && (*value <= ' '))
        value++, length--;
    if (length < sizeof scheme - 1 || xmlStrncasecmp(value, (const xmlChar *)scheme, sizeof scheme - 1) != 0)
        return;
    const xmlChar *comma = memchr(value, ',', length);
    size_t head = comma ? (size_t)(comma - value) : length, size = comma ? length - head - 1 : 0;
    bool is_base64 = head >= sizeof base64 - 1 &&
                     xmlStrncasecmp(value + head - (sizeof base64 - 1), (const xmlChar *)base64, sizeof base64 - 1) == 0;
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes) {
        refuse(checker, SDIMAGE_STATUS_NO_MEMORY, "no memory for a picture inside");
        return;
    }
    memcpy(bytes, value + length - size, size);
    size = unescape(bytes, size);
    check_picture(checker, bytes, is_base64 ? decode64(bytes, size) : size);
    free(bytes);
}

static void on_element(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespaces,
                       const xmlChar **declared, int count, int defaulted, const xmlChar **attributes) {
    (void)prefix, (void)uri, (void)namespaces, (void)declared, (void)defaulted;
    checker *checker = ((xmlParserCtxtPtr)context)->_private;
    if (++checker->elements > MOST_ELEMENTS)
        refuse(checker, SDIMAGE_STATUS_TOO_LARGE, "more than 1000000 elements");
    bool shows = xmlStrEqual(name, (const xmlChar *)"image") || xmlStrEqual(name, (const xmlChar *)"feImage");
    for (int i = 0; shows && checker->status >= 0 && i < count; i++) {
        const xmlChar **attribute = attributes + (size_t)i * 5;
        if (xmlStrEqual(attribute[0], (const xmlChar *)"href"))
            check_reference(checker, attribute[3], (size_t)(attribute[4] - attribute[3]));
    }
}

/* Entities of the text's own alone: none is fetched. */
static void on_entity(void *context, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id,
                      xmlChar *content) {
    if (type == XML_INTERNAL_GENERAL_ENTITY || type == XML_INTERNAL_PARAMETER_ENTITY)
        xmlSAX2EntityDecl(context, name, type, public_id, system_id, content);
}

static xmlParserInputPtr fetch_nothing(void *context, const xmlChar *public_id, const xmlChar *system_id) {
    (void)context, (void)public_id, (void)system_id;
    return NULL;
}

static void parse(checker *checker, const sdsvg_text *text) {
    xmlSAXHandler handler;
    memset(&handler, 0, sizeof handler);
    xmlSAXVersion(&handler, 2);
    handler.startElementNs = on_element;
    handler.entityDecl = on_entity;
    handler.resolveEntity = fetch_nothing;
    handler.endElementNs = NULL;
    handler.characters = handler.ignorableWhitespace = handler.cdataBlock = NULL;
    handler.comment = NULL;
    handler.processingInstruction = NULL;
    handler.error = handler.warning = NULL;
    handler.serror = NULL;
    checker->parser = xmlCreatePushParserCtxt(&handler, NULL, NULL, 0, NULL);
    if (!checker->parser) {
        checker->status = SDIMAGE_STATUS_NO_MEMORY, checker->message = "no memory for a parser";
        return;
    }
    checker->parser->_private = checker;
    xmlCtxtUseOptions(checker->parser, XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    xmlParseChunk(checker->parser, (const char *)text->bytes, (int)text->length, 1);
    if (checker->status >= 0 && !checker->parser->wellFormed)
        checker->status = SDIMAGE_STATUS_BAD_DATA, checker->message = "text that is no well-formed XML";
    xmlDocPtr document = checker->parser->myDoc;
    xmlFreeParserCtxt(checker->parser);
    xmlFreeDoc(document);
}

sdimage_status sdsvg_check(const sdsvg_text *text, sdimage_error **error) {
    checker checker = {.status = SDIMAGE_STATUS_OK};
    parse(&checker, text);
    return checker.status < 0 ? sdmod_fail(error, checker.status, checker.message) : SDIMAGE_STATUS_OK;
}
