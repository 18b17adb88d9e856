/* heif_container.h: the items of a HEIF file (ISO/IEC 23008-12), their bytes, properties and relations.
 *
 * All spans point into the file's bytes. */
#ifndef SDHEIF_CONTAINER_H
#define SDHEIF_CONTAINER_H

#include <sdimage/sys/coder.h>
#include <sdimage/error.h>

#include "boxes.h"
#include "yuv.h"

/* Limits for one file: items, properties, references, and extents of items. */
enum {
    SDHEIF_ITEM_LIMIT = 4096,
    SDHEIF_PROPERTY_LIMIT = 16384,
    SDHEIF_REFERENCE_LIMIT = 1 << 18,
    SDHEIF_EXTENT_LIMIT = 1 << 16
};

/* An item, from the rows of several tables that have its id. */
typedef struct sdheif_item {
    uint32_t id, type; /* `type` as made by SDCS_FOURCC: `hvc1`, `av01`, `grid`, `Exif`, ... */
    sdcs_span names;   /* its name and, for type `mime`, its content type; each ends with a NUL */
    /* The location of its bytes: `iloc`. `construction` is 0 for offsets in the file and 1 for offsets in `idat`;
     * `base` is added to them. `extents` has `extent_count` entries, whose fields have the widths in the container. */
    uint32_t construction, extent_count;
    uint64_t base;
    sdcs_span extents;
    /* Its properties: `ipma`. `associations` has an index into the properties, from 1, for each; of 2 bytes if wide,
     * otherwise of 1. */
    uint32_t association_count;
    bool wide_associations;
    sdcs_span associations;
} sdheif_item;

/* The tables of a file. `data` is the body of `idat`, `references` that of `iref` after version and flags. */
typedef struct sdheif_container {
    const sdimage_work_budget *budget; /* budget of the operation; NULL for none */
    sdcs_span file, data, references;
    sdheif_item *items; /* in ascending order of id */
    size_t item_count;
    sdcs_box *properties;
    size_t property_count, extent_total;
    size_t row_total; /* rows of `iloc` and `ipma` read so far */
    uint32_t primary; /* id of the item to be shown */
    bool skips_empty; /* extents of length 0 have no bytes, as for libavif; set by the caller after opening */
    /* Bytes of the fields of extents in `iloc`, and of an id in `iref`. */
    uint32_t offset_size, length_size, index_size, reference_size;
} sdheif_container;

/* The bytes of an item; `owned` is NULL if they are part of the file. */
typedef struct sdheif_bytes {
    sdcs_span span;
    uint8_t *owned;
} sdheif_bytes;

/* Reads the tables in time linear in `length`, until the budget ends. The caller closes the container, also after a
 * failure. Errors: TRUNCATED, UNSUPPORTED (no still image), BAD_DATA, TOO_LARGE (a table over its limit), NO_MEMORY,
 * CANCELLED, TIMEOUT. */
sdimage_status sdheif_container_open(sdheif_container *container, const void *bytes, size_t length,
                                     const sdimage_work_budget *budget, sdimage_error **error);
void sdheif_container_close(sdheif_container *container);

/* Returns the item with an id; NULL for none. */
const sdheif_item *sdheif_find_item(const sdheif_container *container, uint32_t id);

/* Returns the property of an item at an index, in the order of application; false beyond the last. */
bool sdheif_property(const sdheif_container *container, const sdheif_item *item, size_t index, sdcs_box *property);

/* Finds the body of the first property of a type. */
bool sdheif_find_property(const sdheif_container *container, const sdheif_item *item, uint32_t type, sdcs_span *body);

/* The colors of an item. */
typedef struct sdheif_colors {
    bool has_codes; /* code points of ITU-T H.273 are present */
    sdyuv_color color;
    uint16_t transfer;
    sdcs_span profile; /* ICC, empty for none */
} sdheif_colors;

/* Reads both kinds of `colr` of an item (ISO/IEC 14496-12, 12.1.5); those that were read before have precedence. */
void sdheif_read_colors(const sdheif_container *container, const sdheif_item *item, sdheif_colors *colors);

/* Reports that an item is auxiliary, of a type: `auxC`, 6.5.8. `type` is a URN. */
bool sdheif_is_auxiliary(const sdheif_container *container, const sdheif_item *item, const char *type);
/* Reports that an item is alpha, by the type of HEVC or that of other codecs. */
bool sdheif_is_alpha(const sdheif_container *container, const sdheif_item *item);

/* Stores up to `limit` items that `from` refers to by a type; returns the total number. Returns 0 for an item without
 * such references. The order is that of the file, which for a grid is that of its tiles. */
size_t sdheif_references(const sdheif_container *container, uint32_t type, uint32_t from, uint32_t *to, size_t limit);

/* Returns the number of reference boxes of a type and owner. sdheif_references reads the first; a valid file has no
 * other. */
size_t sdheif_reference_boxes(const sdheif_container *container, uint32_t type, uint32_t from);

/* Stores up to `limit` items that refer to `to` by a type, in file order; returns the number stored. */
size_t sdheif_referrers(const sdheif_container *container, uint32_t type, uint32_t to, uint32_t *from, size_t limit);

/* Returns the bytes that decoding an item reads: its data, at least one byte for each extent, and its decoder
 * configuration (a property of `type`). 0 for an item without a location; UINT64_MAX if the sum overflows. */
uint64_t sdheif_coded_length(const sdheif_container *container, const sdheif_item *item, uint32_t type);

/* Returns the limit of the bytes read for all items of one image. In usual files items do not overlap. */
uint64_t sdheif_most_coded(const sdheif_container *container);

/* Returns the bytes of an item; the caller releases them. Several extents are copied to memory of their own. Errors:
 * BAD_DATA, TRUNCATED, NO_MEMORY. */
sdimage_status sdheif_item_bytes(const sdheif_container *container, const sdheif_item *item, sdheif_bytes *bytes,
                                 sdimage_error **error);
/* Repeated calls have no effect. */
void sdheif_release_bytes(sdheif_bytes *bytes);

#endif
