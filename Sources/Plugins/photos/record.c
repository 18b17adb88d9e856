/* record.c: comparison of records with each other and with files (see record.h). */
#include "record.h"

#include <string.h>
#include <unistd.h>

#include "support.h"

bool sdphoto_record_is_same(const sdphoto_record *a, const sdphoto_record *b) {
    return strcmp(a->path, b->path) == 0 && a->file.device == b->file.device && a->file.node == b->file.node &&
           a->size == b->size && a->modified_ns == b->modified_ns && a->is_known == b->is_known &&
           a->lost_ns == b->lost_ns && a->is_shared == b->is_shared;
}

bool sdphoto_record_is_unchanged(const sdphoto_record *record, const struct stat *status) {
    /* A file whose content could not be read is examined by each scan. */
    return record->is_known && record->file.device == (uint64_t)status->st_dev &&
           record->file.node == (uint64_t)status->st_ino && record->size == (uint64_t)status->st_size &&
           record->modified_ns == sdphoto_nanoseconds(status->st_mtim);
}

void sdphoto_record_note(sdphoto_record *record, const struct stat *status) {
    record->file.device = (uint64_t)status->st_dev;
    record->file.node = (uint64_t)status->st_ino;
    record->size = (uint64_t)status->st_size;
    record->modified_ns = sdphoto_nanoseconds(status->st_mtim);
    record->is_shared = status->st_uid != geteuid();
    record->lost_ns = 0;
}
