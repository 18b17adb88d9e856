/* names.c: growing arrays of hashes, searched after they are sorted (see names.h). */
#include "names.h"

#include <stdlib.h>

#include "fnv.h"

uint64_t sdsvg_name_hash(const uint8_t *text, size_t length) {
    /* 0 stands for an element without a name. */
    return sdcs_fnv1a(text, length) | 1;
}

sdimage_status sdsvg_names_add(sdsvg_names *names, uint64_t hash) {
    if (names->count == SDSVG_MOST_NAMES)
        return SDIMAGE_STATUS_TOO_LARGE;
    if (names->count == names->room) {
        size_t room = names->room ? names->room * 2 : 64;
        uint64_t *more = realloc(names->hashes, room * sizeof *more);
        if (!more)
            return SDIMAGE_STATUS_NO_MEMORY;
        names->hashes = more, names->room = room;
    }
    names->hashes[names->count++] = hash;
    return SDIMAGE_STATUS_OK;
}

void sdsvg_names_clear(sdsvg_names *names) {
    free(names->hashes);
    *names = (sdsvg_names){NULL, 0, 0};
}

/* Ascending order, for qsort and bsearch. */
static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void sdsvg_names_sort(sdsvg_names *names) {
    if (names->count)
        qsort(names->hashes, names->count, sizeof *names->hashes, compare);
}

size_t sdsvg_names_common(const sdsvg_names *sorted, const sdsvg_names *names) {
    size_t count = 0;
    for (size_t i = 0; sorted->count && i < names->count; i++)
        count += bsearch(&names->hashes[i], sorted->hashes, sorted->count, sizeof *sorted->hashes, compare) ? 1 : 0;
    return count;
}
