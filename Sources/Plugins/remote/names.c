/* names.c: names of entries and leases: namespace, ":h:" or ":l:", and the SHA-256 of the key in hexadecimal (see
 * names.h). */
#include "names.h"

#include <string.h>

#include "hex.h"

void sdremote_make_names(sdremote_names *names, const char *prefix, const void *key, size_t length) {
    size_t start = strlen(prefix);
    sdpx_sha256(key, length, names->digest);
    memcpy(names->entry, prefix, start);
    memcpy(names->entry + start, ":h:", 3);
    sdcs_hex_write(names->entry + start + 3, names->digest, sizeof names->digest);
    memcpy(names->lease, names->entry, sizeof names->entry);
    names->lease[start + 1] = 'l';
}
