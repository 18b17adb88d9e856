/* names.c: growing arrays of hashes, searched after they are sorted (see names.h). */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "fnv.h"

/* Reports the end of the part of a name that every spelling shares: what ends it in check.c, "?" for an escape, and the
 * first byte of U+FFFD, for which an escape of no character stands. */
static bool ends_name(uint8_t byte) {
    return byte == 0xEF || strchr(")\"' #;}?", byte);
}

uint64_t sdsvg_name_hash(const uint8_t *text, size_t length) {
    /* Tabs and line ends are left out. */
    uint64_t hash = SDCS_FNV1A_BASIS;
    for (size_t i = 0; i < length && !ends_name(text[i]); i++)
        if (text[i] != '\t' && text[i] != '\n' && text[i] != '\r')
            hash = sdcs_fnv1a_add(hash, text[i]);
    /* 0 stands for an element without a name. */
    return hash | 1;
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
