/* names.c: names on the server. */
#include <string.h>

#include "jobs.h"

/* Two lanes of FNV-1a, 64 bits each. It needs to be good at spreading only: the envelope tells keys apart. */
static void append_hash(char *name, const uint8_t *key, size_t length) {
    static const char digits[] = "0123456789abcdef";
    uint64_t lanes[2] = {14695981039346656037ull, 0x9e3779b97f4a7c15ull};
    for (size_t i = 0; i < length; i++) {
        lanes[0] = (lanes[0] ^ key[i]) * 1099511628211ull;
        lanes[1] = (lanes[1] ^ key[i]) * 0xff51afd7ed558ccdull;
        lanes[1] ^= lanes[1] >> 29;
    }
    for (int place = 0; place < 32; place++)
        name[place] = digits[lanes[place / 16] >> 4 * (place % 16) & 15];
    name[32] = 0;
}

/* Whether every server takes it as it is, and people can read it. */
static bool is_plain(const uint8_t *key, size_t length, size_t room) {
    if (!length || length > room)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (key[i] <= ' ' || key[i] >= 127)
            return false;
    }
    return true;
}

void sdremote_make_names(const tier *self, job *job) {
    size_t start = strlen(self->options.prefix), room = SDREMOTE_KEY_MAX - start - 3;
    memcpy(job->name, self->options.prefix, start);
    memcpy(job->lease_name, self->options.prefix, start);
    memcpy(job->lease_name + start, ":l:", 3);
    append_hash(job->lease_name + start + 3, job->key, job->key_length);
    if (is_plain(job->key, job->key_length, room)) {
        memcpy(job->name + start, ":k:", 3);
        memcpy(job->name + start + 3, job->key, job->key_length);
        job->name[start + 3 + job->key_length] = 0;
    } else {
        memcpy(job->name + start, ":h:", 3);
        append_hash(job->name + start + 3, job->key, job->key_length);
    }
}
