/* names.h: names on the server. They are digests, so that no URL, and no password in one, is readable there. */
#ifndef SDREMOTE_NAMES_H
#define SDREMOTE_NAMES_H

#include "sdpx_sha256.h"

/* Limit of a key on memcached, in bytes. A name has at most 64 + 3 + 64. */
#define SDREMOTE_KEY_MAX 250u

/* The names of a key; both end with a NUL. */
typedef struct sdremote_names {
    char entry[SDREMOTE_KEY_MAX + 1], lease[SDREMOTE_KEY_MAX + 1];
    /* The digest of the key, used in the envelope instead of the key. */
    uint8_t digest[SDPX_SHA256_BYTES];
} sdremote_names;

/* Makes the names of a key. The prefix has at most 64 characters. */
void sdremote_make_names(sdremote_names *names, const char *prefix, const void *key, size_t length);

#endif
