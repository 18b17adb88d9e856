/* uri.c: percent-encoding of paths and identifiers (see uri.h). */
#include "uri.h"

#include <sdimage/plugins/photos.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "percent.h"

/* Letters and digits of ASCII. */
static bool is_plain(unsigned char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

/* Percent-encodes all characters but letters, digits and `unreserved`. */
static char *encoded(const char *prefix, const char *text, const char *unreserved) {
    static const char digits[] = "0123456789ABCDEF";
    size_t head = strlen(prefix), length = strlen(text), room;
    if (__builtin_mul_overflow(length, 3, &room) || __builtin_add_overflow(room, head + 1, &room))
        return NULL;
    /* Three characters for each byte at most. */
    char *made = malloc(room), *to = made;
    if (!made)
        return NULL;
    memcpy(to, prefix, head);
    to += head;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (is_plain(byte) || (byte && strchr(unreserved, byte))) {
            *to++ = (char)byte;
            continue;
        }
        *to++ = '%';
        *to++ = digits[byte >> 4];
        *to++ = digits[byte & 15];
    }
    *to = 0;
    return made;
}

/* Thumbnail names are digests of the URI, so each byte matters: these are the characters that GLib, and thus file
 * managers, leave unencoded. */
char *sdphoto_file_uri(const char *path) {
    return encoded("file://", path, "-_.!~*'()/&=:@+$,");
}

/* pchar of RFC 3986, and "/". */
char *sdimage_photos_url_of_identifier(const char *identifier) {
    if (!identifier || !*identifier)
        return NULL;
    return encoded("ph://", identifier, "-._~!$&'()*+,;=:@/");
}

bool sdphoto_is_ph(const char *url, size_t length) {
    return url && length > 3 && (url[0] | 32) == 'p' && (url[1] | 32) == 'h' && url[2] == ':';
}

char *sdphoto_decoded(const char *text, size_t length) {
    char *decoded = length < SIZE_MAX ? malloc(length + 1) : NULL;
    if (!decoded)
        return NULL;
    memcpy(decoded, text, length);
    decoded[length] = 0;
    if (sdcs_percent_decode_text(decoded))
        return decoded;
    free(decoded);
    return NULL;
}

char *sdimage_photos_identifier_of_url(const char *url, size_t length) {
    if (!url)
        return NULL;
    if (length == SDIMAGE_NUL_TERMINATED)
        length = strlen(url);
    if (!sdphoto_is_ph(url, length) || length < 6 || memcmp(url + 2, "://", 3) != 0)
        return NULL;
    const char *start = url + 5;
    size_t count = 0, most = length - 5;
    while (count < most && start[count] && start[count] != '?' && start[count] != '#')
        count++;
    /* Each byte may be encoded as three. */
    if (count == 0 || count > 3 * (size_t)SDPHOTO_IDENTIFIER_LIMIT)
        return NULL;
    char *identifier = sdphoto_decoded(start, count);
    if (identifier && strlen(identifier) > SDPHOTO_IDENTIFIER_LIMIT) {
        free(identifier);
        return NULL;
    }
    return identifier;
}

void sdimage_photos_free(char *text) {
    free(text);
}
