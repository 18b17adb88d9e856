/* names.h: sets of element names, stored as hashes. Two names with one hash count as one. */
#ifndef SDSVG_NAMES_H
#define SDSVG_NAMES_H

#include <sdimage/error.h>
#include <stddef.h>
#include <stdint.h>

/* Limit of the names in a set. */
enum { SDSVG_MOST_NAMES = 1000000 };

/* A set; a name that was added twice is in it twice. */
typedef struct sdsvg_names {
    uint64_t *hashes;
    size_t count, room;
} sdsvg_names;

/* Returns the hash of a name; never 0. It is the same for all spellings in CSS (css.h), and therefore for names that
 * differ only behind a character that would end a name there. */
uint64_t sdsvg_name_hash(const uint8_t *text, size_t length);

/* Adds a name. TOO_LARGE beyond the limit, NO_MEMORY. */
sdimage_status sdsvg_names_add(sdsvg_names *names, uint64_t hash);
void sdsvg_names_clear(sdsvg_names *names);

/* Sorts the names of a set, as sdsvg_names_common requires of `sorted`. */
void sdsvg_names_sort(sdsvg_names *names);
/* Returns how many of `names` are also in `sorted`. */
size_t sdsvg_names_common(const sdsvg_names *sorted, const sdsvg_names *names);

#endif
