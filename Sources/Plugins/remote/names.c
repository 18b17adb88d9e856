/* names.c: names on the server. They are digests, so that no URL, and no password in one, is readable there. */
#include <string.h>

#include "hex.h"
#include "jobs.h"
#include "sha256.h"

void sdremote_make_names(const tier *self, job *job) {
    size_t start = strlen(self->options.prefix);
    sdcs_sha256(job->key, job->key_length, job->digest);
    memcpy(job->name, self->options.prefix, start);
    memcpy(job->name + start, ":h:", 3);
    sdcs_hex_write(job->name + start + 3, job->digest, sizeof job->digest);
    memcpy(job->lease_name, job->name, sizeof job->name);
    job->lease_name[start + 1] = 'l';
}
