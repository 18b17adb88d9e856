/* record.h: the last known state of a file. */
#ifndef SDPHOTO_RECORD_H
#define SDPHOTO_RECORD_H

#include <sys/stat.h>

#include "asset.h"

/* Identifies a file of this machine. It has no padding: tables use its bytes as a key. */
typedef struct sdphoto_file_key {
    uint64_t device, node;
} sdphoto_file_key;

/* A row of the index. Times are nanoseconds since 1970. */
typedef struct sdphoto_record {
    char identifier[40]; /* a UUID of 36 characters, with a NUL */
    const char *path;    /* relative to the library; the last path of a lost file */
    sdphoto_file_key file;
    uint64_t size;
    int64_t modified_ns;
    uint8_t digest[16]; /* identifies copies (probe.h); valid if `is_known` */
    bool is_known;      /* its content could be read */
    int64_t lost_ns;    /* when it was first missed; 0: present */
    sdphoto_info info;
    bool is_shared; /* the file belongs to another user */
} sdphoto_record;

/* Report that two records are equal, and that a file still matches its record. */
bool sdphoto_record_is_same(const sdphoto_record *a, const sdphoto_record *b);
bool sdphoto_record_is_unchanged(const sdphoto_record *record, const struct stat *status);
/* Stores the state of a file in the file system, and marks it as present. */
void sdphoto_record_note(sdphoto_record *record, const struct stat *status);

#endif
