/* container.h: the items of a HEIF file (ISO/IEC 23008-12), their bytes, properties and relations.
 *
 * Everything points into the file's own bytes. */
#ifndef SDHEIF_CONTAINER_H
#define SDHEIF_CONTAINER_H

#include <sdimage/coder.h>
#include <sdimage/error.h>

#include "../common/boxes.h"

/* Items, properties, references, and extents of items in one file. */
enum {
    SDHEIF_ITEM_LIMIT = 4096,
    SDHEIF_PROPERTY_LIMIT = 16384,
    SDHEIF_REFERENCE_LIMIT = 1 << 18,
    SDHEIF_EXTENT_LIMIT = 1 << 16
};

typedef struct sdheif_item {
    uint32_t id, type;
    sdmod_span names; /* its name and, of type `mime`, that of its content; each ends with a NUL */
    /* Where its bytes lie: `iloc`. */
    uint32_t construction, extent_count;
    uint64_t base;
    sdmod_span extents;
    /* Which properties it has: `ipma`. */
    uint32_t association_count;
    bool wide_associations;
    sdmod_span associations;
} sdheif_item;

typedef struct sdheif_container {
    const sdimage_work_budget *budget; /* of the operation; NULL for none */
    sdmod_span file, data, references;
    sdheif_item *items; /* by rising number */
    size_t item_count;
    sdmod_box *properties;
    size_t property_count, extent_total;
    uint32_t primary;
    uint32_t offset_size, length_size, index_size, reference_size;
} sdheif_container;

/* Bytes of an item; `owned` is NULL where they are a part of the file. */
typedef struct sdheif_bytes {
    sdmod_span span;
    uint8_t *owned;
} sdheif_bytes;

/* Reads the tables in time linear in `length`; `close` also after a failure. Errors: TRUNCATED, UNSUPPORTED (no still
 * picture), BAD_DATA, TOO_LARGE (a table over its limit), NO_MEMORY. */
sdimage_status sdheif_container_open(sdheif_container *container, const void *bytes, size_t length,
                                     const sdimage_work_budget *budget, sdimage_error **error);
void sdheif_container_close(sdheif_container *container);

/* NULL where there is none. */
const sdheif_item *sdheif_find_item(const sdheif_container *container, uint32_t id);

/* The `index`th property of an item, in the order in which they apply; false beyond the last. */
bool sdheif_property(const sdheif_container *container, const sdheif_item *item, size_t index, sdmod_box *property);

/* The body of the first property of a type. */
bool sdheif_find_property(const sdheif_container *container, const sdheif_item *item, uint32_t type, sdmod_span *body);

/* The items that `from` refers to by a type, at most `limit`; returns how many there are. */
size_t sdheif_references(const sdheif_container *container, uint32_t type, uint32_t from, uint32_t *to, size_t limit);

/* The items that refer to `to` by a type, in the order of the file, at most `limit`; returns their number. */
size_t sdheif_referrers(const sdheif_container *container, uint32_t type, uint32_t to, uint32_t *from, size_t limit);

/* The length of an item's bytes together with its decoder configuration (a property of `type`): what decoding it reads.
 * 0 for an item that has no location; UINT64_MAX where the sum overflows. */
uint64_t sdheif_coded_length(const sdheif_container *container, const sdheif_item *item, uint32_t type);

/* What the items that make up one picture may read in all. Items do not overlap in usual files. */
uint64_t sdheif_most_coded(const sdheif_container *container);

/* The bytes of an item; to be released. */
sdimage_status sdheif_item_bytes(const sdheif_container *container, const sdheif_item *item, sdheif_bytes *bytes,
                                 sdimage_error **error);
void sdheif_release_bytes(sdheif_bytes *bytes);

#endif
