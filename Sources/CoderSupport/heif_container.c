/* heif_container.c: the tables in `meta`, read once when the file is opened. The modules for HEIF and AVIF use them on
 * the thread of a decode; a container belongs to one call.
 *
 * Items are sorted by id, so that each row of the other tables finds its item in logarithmic time. Items and properties
 * have tables of their own; the other tables are read in place. Sections without a standard are those of ISO/IEC
 * 14496-12.
 *
 * - `pitm` names the primary item, `iinf` lists all items with their types.
 * - `iloc` tells the location of the bytes of each item, in the file or in `idat`.
 * - `iprp` has properties (`ipco`) and their assignment to items (`ipma`).
 * - `iref` has typed references from item to item, such as from a thumbnail to its image. */
#include "heif_container.h"

#include <stdlib.h>
#include <string.h>

#include "image.h"

/* Compares items for qsort(3) and bsearch(3). */
static int by_id(const void *a, const void *b) {
    uint32_t x = ((const sdheif_item *)a)->id, y = ((const sdheif_item *)b)->id;
    return x < y ? -1 : x > y;
}

/* Finds an item that may be changed; NULL for none. */
static sdheif_item *find(const sdheif_container *c, uint32_t id) {
    sdheif_item key = {.id = id};
    return c->item_count ? bsearch(&key, c->items, c->item_count, sizeof key, by_id) : NULL;
}

const sdheif_item *sdheif_find_item(const sdheif_container *c, uint32_t id) {
    return find(c, id);
}

/* Rows between two checks of the work budget: a file of 64 MiB has 20 million. A power of two. */
enum { ROW_STEP = 1 << 15 };

/* Counts a row of a table; false once the budget is used up. The table then ends, and sdheif_container_open fails. */
static bool continues(sdheif_container *c) {
    return ++c->row_total % ROW_STEP != 0 || sdimage_work_budget_check(c->budget) == SDIMAGE_STATUS_OK;
}

/* Reads a number of 2 bytes, or of 4 from a certain version on. */
static bool take_either(sdcs_span *span, bool is_wide, uint32_t *value) {
    uint64_t number;
    if (!sdcs_take(span, is_wide ? 4 : 2, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

/* `infe`, 8.11.6. Only its later versions have a type, and only items with a type can be images. Skips the protection
 * index, which follows the id. */
static bool read_entry(sdcs_span entry, sdheif_item *item) {
    uint32_t version, flags;
    if (!sdcs_take_version(&entry, &version, &flags) || version < 2)
        return false;
    if (!take_either(&entry, version > 2, &item->id) || !sdcs_skip(&entry, 2) || !sdcs_take32(&entry, &item->type))
        return false;
    item->names = entry;
    return true;
}

/* `iinf`, 8.11.6: makes the table of items. Their number is checked before memory is allocated; entries beyond it are
 * ignored. */
static sdimage_status read_items(sdheif_container *c, sdcs_span info, sdimage_error **error) {
    uint32_t version, flags, count;
    if (!sdcs_take_version(&info, &version, &flags) || !take_either(&info, version > 0, &count))
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "heif: item table ends early");
    if (count > SDHEIF_ITEM_LIMIT)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "heif: items exceed the limit of 4096");
    c->items = calloc(count ? count : 1, sizeof *c->items);
    if (!c->items)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "heif: no memory for the table of items");
    sdcs_box box;
    while (c->item_count < count && sdcs_next_box(&info, &box))
        /* Entries of old versions leave their rows to the next ones. */
        if (box.type == SDCS_FOURCC('i', 'n', 'f', 'e') && read_entry(box.body, &c->items[c->item_count]))
            c->item_count++;
    qsort(c->items, c->item_count, sizeof *c->items, by_id);
    return SDIMAGE_STATUS_OK;
}

/* Reads one item of `iloc`; false at the end of the table. `base_size` is the width of its base offset in bytes. The
 * data reference is ignored: all items are read from this file. */
static bool read_location(sdheif_container *c, sdcs_span *table, uint32_t version, uint32_t base_size) {
    uint32_t id;
    uint64_t construction = 0, base = 0, count;
    if (!take_either(table, version > 1, &id) || (version > 0 && !sdcs_take(table, 2, &construction)) ||
        !sdcs_skip(table, 2) || !sdcs_take(table, base_size, &base) || !sdcs_take(table, 2, &count))
        return false;
    size_t length = (size_t)count * (c->index_size + c->offset_size + c->length_size);
    sdcs_span extents = {table->bytes, length};
    /* Limited, because extents whose fields are 0 bytes wide take no space in the file. */
    c->extent_total += (size_t)count;
    if (!sdcs_skip(table, length) || c->extent_total > SDHEIF_EXTENT_LIMIT)
        return false;
    sdheif_item *item = find(c, id);
    /* The first location of an item counts. */
    if (item && !item->extent_count) {
        item->construction = (uint32_t)construction & 15;
        item->base = base;
        item->extent_count = (uint32_t)count;
        item->extents = extents;
    }
    return true;
}

/* `iloc`, 8.11.3. A damaged table ends early: the items that it has not located fail when they are read. */
static void read_locations(sdheif_container *c, sdcs_span table) {
    uint32_t version, flags, count;
    uint64_t sizes;
    if (!sdcs_take_version(&table, &version, &flags) || version > 2 || !sdcs_take(&table, 2, &sizes) ||
        !take_either(&table, version > 1, &count))
        return;
    /* Four nibbles: bytes of offset, length, base offset, and from version 1 on the index. */
    c->offset_size = (uint32_t)(sizes >> 12 & 15);
    c->length_size = (uint32_t)(sizes >> 8 & 15);
    c->index_size = version > 0 ? (uint32_t)(sizes & 15) : 0;
    for (uint32_t i = 0; i < count; i++)
        if (!continues(c) || !read_location(c, &table, version, (uint32_t)(sizes >> 4 & 15)))
            return;
}

/* `ipma`, 23008-12, 9.3.1; a file may have several. The lowest flag selects associations of two bytes instead of
 * one. */
static void read_associations(sdheif_container *c, sdcs_span table) {
    uint32_t version, flags, count, id;
    uint64_t each;
    if (!sdcs_take_version(&table, &version, &flags) || !sdcs_take32(&table, &count))
        return;
    size_t size = flags & 1 ? 2 : 1;
    for (uint32_t i = 0; i < count; i++) {
        if (!continues(c) || !take_either(&table, version > 0, &id) || !sdcs_take(&table, 1, &each))
            return;
        /* The indices stay in the file, and are read when a property is needed. */
        sdcs_span list = {table.bytes, (size_t)each * size};
        if (!sdcs_skip(&table, list.length))
            return;
        sdheif_item *item = find(c, id);
        if (item && !item->association_count) {
            item->association_count = (uint32_t)each;
            item->wide_associations = size == 2;
            item->associations = list;
        }
    }
}

/* `iprp`, 23008-12, 9.3.1: the properties, then their associations with items. */
static sdimage_status read_properties(sdheif_container *c, sdcs_span body, sdimage_error **error) {
    sdcs_span list, rest;
    sdcs_box box;
    if (!sdcs_find_box(body, SDCS_FOURCC('i', 'p', 'c', 'o'), &list))
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "heif: no item has properties");
    /* Counts first: the limit applies before memory is allocated. */
    for (rest = list; sdcs_next_box(&rest, &box);)
        c->property_count++;
    if (c->property_count > SDHEIF_PROPERTY_LIMIT)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "heif: properties exceed the limit of 16384");
    c->properties = calloc(c->property_count ? c->property_count : 1, sizeof *c->properties);
    if (!c->properties)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "heif: no memory for the properties");
    rest = list;
    for (size_t i = 0; i < c->property_count && sdcs_next_box(&rest, &box); i++)
        c->properties[i] = box;
    while (sdcs_next_box(&body, &box))
        if (box.type == SDCS_FOURCC('i', 'p', 'm', 'a'))
            read_associations(c, box.body);
    return sdcs_check_budget(c->budget, error);
}

/* `pitm`, 8.11.4. */
static bool read_primary(sdheif_container *c, sdcs_span meta) {
    sdcs_span body;
    uint32_t version, flags;
    return sdcs_find_box(meta, SDCS_FOURCC('p', 'i', 't', 'm'), &body) && sdcs_take_version(&body, &version, &flags) &&
           take_either(&body, version > 0, &c->primary);
}

/* Reads the id of the item that owns a reference box, and the number of its references. */
static bool read_reference(const sdheif_container *c, sdcs_span *body, uint32_t *from, uint64_t *count) {
    return take_either(body, c->reference_size == 4, from) && sdcs_take(body, 2, count);
}

/* `iref`, 8.11.12. Limited, because each look-up walks it. A box counts as one additional reference. */
static sdimage_status read_references(sdheif_container *c, sdcs_span meta, sdimage_error **error) {
    uint32_t version, flags, owner;
    uint64_t count, total = 0;
    sdcs_box box;
    sdcs_span table;
    if (!sdcs_find_box(meta, SDCS_FOURCC('i', 'r', 'e', 'f'), &table) || !sdcs_take_version(&table, &version, &flags))
        return SDIMAGE_STATUS_OK;
    c->references = table;
    /* Version 1 has ids of 32 bits. */
    c->reference_size = version ? 4 : 2;
    while (total <= SDHEIF_REFERENCE_LIMIT && sdcs_next_box(&table, &box))
        total += 1 + (read_reference(c, &box.body, &owner, &count) ? count : 0);
    return total <= SDHEIF_REFERENCE_LIMIT ? SDIMAGE_STATUS_OK
                                           : sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE,
                                                       "heif: references between items exceed the limit of 262144");
}

/* Reports that the last box exceeds the file: an incomplete download, instead of a file of another kind. */
static bool is_cut(sdcs_span file) {
    sdcs_box box;
    while (sdcs_next_box(&file, &box))
        ;
    return file.length > 0;
}

sdimage_status sdheif_container_open(sdheif_container *c, const void *bytes, size_t length,
                                     const sdimage_work_budget *budget, sdimage_error **error) {
    *c = (sdheif_container){.budget = budget, .file = {bytes, length}};
    sdcs_span meta, body;
    if (!sdcs_find_box(c->file, SDCS_FOURCC('m', 'e', 't', 'a'), &meta))
        return is_cut(c->file) ? sdcs_fail(error, SDIMAGE_STATUS_TRUNCATED, "heif: data ends before the item table")
                               : sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "heif: file has no still image");
    /* Items come first, because the other tables are assigned to them. */
    if (!sdcs_skip(&meta, 4) || !read_primary(c, meta) || !sdcs_find_box(meta, SDCS_FOURCC('i', 'i', 'n', 'f'), &body))
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "heif: no primary item");
    sdimage_status status = read_items(c, body, error);
    if (status < 0)
        return status;
    if (sdcs_find_box(meta, SDCS_FOURCC('i', 'l', 'o', 'c'), &body))
        read_locations(c, body);
    sdcs_find_box(meta, SDCS_FOURCC('i', 'd', 'a', 't'), &c->data);
    /* Without `iloc` and `idat` the file opens; its items have no bytes. */
    status = read_references(c, meta, error);
    if (status < 0)
        return status;
    if (!sdcs_find_box(meta, SDCS_FOURCC('i', 'p', 'r', 'p'), &body))
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "heif: no item has properties");
    return read_properties(c, body, error);
}

void sdheif_container_close(sdheif_container *c) {
    free(c->items);
    free(c->properties);
}

bool sdheif_property(const sdheif_container *c, const sdheif_item *item, size_t index, sdcs_box *property) {
    sdcs_span list = item->associations;
    size_t size = item->wide_associations ? 2 : 1;
    uint64_t number;
    if (index >= item->association_count || !sdcs_skip(&list, index * size) || !sdcs_take(&list, size, &number))
        return false;
    /* The highest bit says that the property is essential. */
    number &= item->wide_associations ? 0x7FFF : 0x7F;
    /* Index 0 means no property. It, and an index that does not exist, count as positions nevertheless. */
    *property = number && number <= c->property_count ? c->properties[number - 1] : (sdcs_box){0, {NULL, 0}};
    return true;
}

bool sdheif_find_property(const sdheif_container *c, const sdheif_item *item, uint32_t type, sdcs_span *body) {
    sdcs_box property;
    for (size_t i = 0; sdheif_property(c, item, i, &property); i++)
        if (property.type == type) {
            *body = property.body;
            return true;
        }
    return false;
}

void sdheif_read_colors(const sdheif_container *c, const sdheif_item *item, sdheif_colors *colors) {
    sdcs_box property;
    uint32_t kind;
    uint64_t primaries, transfer, matrix, range;
    for (size_t i = 0; sdheif_property(c, item, i, &property); i++) {
        sdcs_span body = property.body;
        if (property.type != SDCS_FOURCC('c', 'o', 'l', 'r') || !sdcs_take32(&body, &kind))
            continue;
        /* `rICC` is a restricted profile, `prof` any profile, `nclx` code points with the range flag in the highest
         * bit. */
        if ((kind == SDCS_FOURCC('p', 'r', 'o', 'f') || kind == SDCS_FOURCC('r', 'I', 'C', 'C')) &&
            !colors->profile.length)
            colors->profile = body;
        if (kind == SDCS_FOURCC('n', 'c', 'l', 'x') && !colors->has_codes && sdcs_take(&body, 2, &primaries) &&
            sdcs_take(&body, 2, &transfer) && sdcs_take(&body, 2, &matrix) && sdcs_take(&body, 1, &range)) {
            colors->has_codes = true;
            colors->color = (sdyuv_color){(uint16_t)primaries, (uint16_t)matrix, range >> 7};
            colors->transfer = (uint16_t)transfer;
        }
    }
}

/* The type in the property ends with a NUL, which is compared too. */
bool sdheif_is_auxiliary(const sdheif_container *c, const sdheif_item *item, const char *type) {
    sdcs_span body;
    size_t length = strlen(type) + 1;
    return sdheif_find_property(c, item, SDCS_FOURCC('a', 'u', 'x', 'C'), &body) && sdcs_skip(&body, 4) &&
           body.length >= length && memcmp(body.bytes, type, length) == 0;
}

bool sdheif_is_alpha(const sdheif_container *c, const sdheif_item *item) {
    return sdheif_is_auxiliary(c, item, "urn:mpeg:hevc:2015:auxid:1") ||
           sdheif_is_auxiliary(c, item, "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha");
}

size_t sdheif_references(const sdheif_container *c, uint32_t type, uint32_t from, uint32_t *to, size_t limit) {
    sdcs_span rest = c->references;
    sdcs_box box;
    uint32_t owner;
    uint64_t count;
    while (sdcs_next_box(&rest, &box)) {
        /* Only the first box of this type and owner counts. */
        if (box.type != type || !read_reference(c, &box.body, &owner, &count) || owner != from)
            continue;
        size_t found = 0;
        for (; found < count && found < limit; found++)
            if (!take_either(&box.body, c->reference_size == 4, &to[found]))
                return found;
        return (size_t)count;
    }
    return 0;
}

size_t sdheif_reference_boxes(const sdheif_container *c, uint32_t type, uint32_t from) {
    size_t found = 0;
    sdcs_span rest = c->references;
    sdcs_box box;
    uint32_t owner;
    uint64_t count;
    while (sdcs_next_box(&rest, &box))
        found += box.type == type && read_reference(c, &box.body, &owner, &count) && owner == from;
    return found;
}

size_t sdheif_referrers(const sdheif_container *c, uint32_t type, uint32_t to, uint32_t *from, size_t limit) {
    size_t found = 0;
    sdcs_span rest = c->references;
    sdcs_box box;
    uint32_t owner, target;
    uint64_t count;
    while (sdcs_next_box(&rest, &box)) {
        if (box.type != type || !read_reference(c, &box.body, &owner, &count))
            continue;
        for (; count > 0 && take_either(&box.body, c->reference_size == 4, &target); count--)
            if (target == to) {
                /* Further referrers are ignored: the caller limits its work. */
                if (found == limit)
                    return found;
                from[found++] = owner;
            }
    }
    return found;
}

/* Reads the next extent of an item from its table, within the file or within `idat` (construction method 1). A length
 * of 0 means the rest of the source, unless the container skips such extents. */
static sdimage_status next_extent(const sdheif_container *c, const sdheif_item *item, sdcs_span *table, sdcs_span *part,
                                  sdimage_error **error) {
    sdcs_span source = item->construction == 1 ? c->data : c->file;
    uint64_t offset = 0, length = 0;
    if (!sdcs_skip(table, c->index_size) || !sdcs_take(table, c->offset_size, &offset) ||
        !sdcs_take(table, c->length_size, &length) || __builtin_add_overflow(offset, item->base, &offset))
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "heif: item has no location");
    if (!length && c->skips_empty) {
        *part = (sdcs_span){c->file.bytes, 0};
        return SDIMAGE_STATUS_OK;
    }
    if (offset > source.length || length > source.length - offset)
        return sdcs_fail(error, SDIMAGE_STATUS_TRUNCATED, "heif: item extends beyond the end of the file");
    if (!source.bytes)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "heif: item has no location");
    *part = (sdcs_span){source.bytes + offset, (size_t)(length ? length : source.length - offset)};
    return SDIMAGE_STATUS_OK;
}

sdimage_status sdheif_item_bytes(const sdheif_container *c, const sdheif_item *item, sdheif_bytes *bytes,
                                 sdimage_error **error) {
    *bytes = (sdheif_bytes){{NULL, 0}, NULL};
    /* Method 2, bytes of other items, is not supported. */
    if (item->construction > 1 || !item->extent_count)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "heif: item has no location");
    sdcs_span table = item->extents, part;
    /* The usual case needs no copy. */
    if (item->extent_count == 1)
        return next_extent(c, item, &table, &bytes->span, error);
    /* Two passes: lengths, then bytes. */
    size_t total = 0;
    for (uint32_t i = 0; i < item->extent_count; i++) {
        sdimage_status status = next_extent(c, item, &table, &part, error);
        if (status < 0)
            return status;
        /* Overlapping extents could multiply the bytes of the file. */
        if (part.length > c->file.length - total)
            return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "heif: item is longer than the file");
        total += part.length;
    }
    bytes->owned = malloc(total ? total : 1);
    if (!bytes->owned)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "heif: no memory for an item");
    bytes->span = (sdcs_span){bytes->owned, total};
    table = item->extents;
    for (size_t at = 0; at < total && next_extent(c, item, &table, &part, NULL) >= 0; at += part.length)
        memcpy(bytes->owned + at, part.bytes, part.length);
    return SDIMAGE_STATUS_OK;
}

uint64_t sdheif_coded_length(const sdheif_container *c, const sdheif_item *item, uint32_t type) {
    sdcs_span table = item->extents, part = {NULL, 0}, configuration;
    uint64_t total = sdheif_find_property(c, item, type, &configuration) ? configuration.length : 0;
    /* sdheif_item_bytes stops at a bad extent too. An empty extent counts as a byte, because it takes time. */
    for (uint32_t i = 0; i < item->extent_count && next_extent(c, item, &table, &part, NULL) >= 0; i++)
        if (__builtin_add_overflow(total, part.length ? part.length : 1, &total))
            return UINT64_MAX;
    return total;
}

/* More than the file, because a decoder configuration that tiles share is counted for each of them. */
uint64_t sdheif_most_coded(const sdheif_container *c) {
    return 2 * (uint64_t)c->file.length + (1 << 20);
}

void sdheif_release_bytes(sdheif_bytes *bytes) {
    free(bytes->owned);
    *bytes = (sdheif_bytes){{NULL, 0}, NULL};
}
