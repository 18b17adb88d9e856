/* names.c: names on the server. They are digests, so that no URL, and no password in one, is readable there. */
#include <string.h>

#include "jobs.h"
#include "sha256.h"

static void append_hexadecimal(char *out, const uint8_t *bytes, size_t length) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < length; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = 0;
}

void sdremote_make_names(const tier *self, job *job) {
    size_t start = strlen(self->options.prefix);
    sdremote_sha256(job->key, job->key_length, job->digest);
    memcpy(job->name, self->options.prefix, start);
    memcpy(job->name + start, ":h:", 3);
    append_hexadecimal(job->name + start + 3, job->digest, sizeof job->digest);
    memcpy(job->lease_name, job->name, sizeof job->name);
    job->lease_name[start + 1] = 'l';
}
