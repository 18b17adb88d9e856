#include "limits.h"

#include "../heif/container.h"

enum { TILE_LIMIT = 1024 };

static sdimage_status too_large(sdimage_error **error, const char *message) {
    return sdmod_fail(error, SDIMAGE_STATUS_TOO_LARGE, message);
}

/* Reads a number of 2 or 4 bytes. */
static bool take_either(sdmod_span *span, bool is_wide, uint64_t *value) {
    return sdmod_take(span, is_wide ? 4 : 2, value);
}

/* --- Items. */

/* `iinf`, ISO/IEC 14496-12, 8.11.6. */
static sdimage_status check_items(sdmod_span table, sdimage_error **error) {
    uint32_t version, flags;
    uint64_t count, found = 0;
    sdmod_box box;
    if (!sdmod_take_version(&table, &version, &flags) || !take_either(&table, version > 0, &count))
        return SDIMAGE_STATUS_OK;
    while (found <= SDHEIF_ITEM_LIMIT && sdmod_next_box(&table, &box))
        found++;
    return found > SDHEIF_ITEM_LIMIT ? too_large(error, "avif: items exceed the limit of 4096") : SDIMAGE_STATUS_OK;
}

/* `iloc`, 8.11.3. libavif makes an entry for each extent, even if it takes no bytes in the file. */
static sdimage_status check_locations(sdmod_span table, sdimage_error **error) {
    uint32_t version, flags;
    uint64_t sizes, count, extents, total = 0;
    if (!sdmod_take_version(&table, &version, &flags) || version > 2 || !sdmod_take(&table, 2, &sizes) ||
        !take_either(&table, version > 1, &count))
        return SDIMAGE_STATUS_OK;
    if (count > SDHEIF_ITEM_LIMIT)
        return too_large(error, "avif: items exceed the limit of 4096");
    size_t each = (size_t)((sizes >> 12 & 15) + (sizes >> 8 & 15) + (version > 0 ? sizes & 15 : 0));
    size_t head = (version > 1 ? 4 : 2) + (version > 0 ? 2 : 0) + 2 + (size_t)(sizes >> 4 & 15);
    for (; count > 0; count--) {
        if (!sdmod_skip(&table, head) || !sdmod_take(&table, 2, &extents))
            return SDIMAGE_STATUS_OK;
        total += extents;
        if (total > SDHEIF_EXTENT_LIMIT)
            return too_large(error, "avif: extents exceed the limit of 65536");
        if (!sdmod_skip(&table, (size_t)extents * each))
            return SDIMAGE_STATUS_OK;
    }
    return SDIMAGE_STATUS_OK;
}

/* `iref`, 8.11.12. */
static sdimage_status check_references(sdmod_span table, sdimage_error **error) {
    uint32_t version, flags;
    uint64_t owner, count, total = 0;
    sdmod_box box;
    if (!sdmod_take_version(&table, &version, &flags))
        return SDIMAGE_STATUS_OK;
    while (total <= SDAVIF_REFERENCE_LIMIT && sdmod_next_box(&table, &box))
        total += 1 + (take_either(&box.body, version > 0, &owner) && sdmod_take(&box.body, 2, &count) ? count : 0);
    return total > SDAVIF_REFERENCE_LIMIT ? too_large(error, "avif: references between items exceed the limit of 16384")
                                          : SDIMAGE_STATUS_OK;
}

/* `iprp`, 8.11.14. */
static sdimage_status check_properties(sdmod_span body, sdimage_error **error) {
    sdmod_box box, property;
    uint64_t properties = 0, associations = 0;
    while (sdmod_next_box(&body, &box)) {
        uint32_t version, flags, count;
        if (box.type == SDMOD_TYPE('i', 'p', 'c', 'o'))
            while (properties <= SDHEIF_PROPERTY_LIMIT && sdmod_next_box(&box.body, &property))
                properties++;
        else if (sdmod_take_version(&box.body, &version, &flags) && sdmod_take32(&box.body, &count))
            associations += count;
        if (properties > SDHEIF_PROPERTY_LIMIT || associations > SDHEIF_PROPERTY_LIMIT)
            return too_large(error, "avif: properties exceed the limit of 16384");
    }
    return SDIMAGE_STATUS_OK;
}

/* `meta`, 8.11.1. */
static sdimage_status check_meta(sdmod_span meta, sdimage_error **error) {
    sdimage_status status = SDIMAGE_STATUS_OK;
    sdmod_box box;
    if (!sdmod_skip(&meta, 4))
        return status;
    while (status >= 0 && sdmod_next_box(&meta, &box))
        switch (box.type) {
        case SDMOD_TYPE('i', 'i', 'n', 'f'): status = check_items(box.body, error); break;
        case SDMOD_TYPE('i', 'l', 'o', 'c'): status = check_locations(box.body, error); break;
        case SDMOD_TYPE('i', 'r', 'e', 'f'): status = check_references(box.body, error); break;
        case SDMOD_TYPE('i', 'p', 'r', 'p'): status = check_properties(box.body, error); break;
        default: break;
        }
    return status;
}

/* --- Tracks. */

/* `stbl`, 8.5.1. A chunk has at least one sample, and a sample is one frame. */
static sdimage_status check_samples(sdmod_span table, sdimage_error **error) {
    sdmod_box box;
    while (sdmod_next_box(&table, &box)) {
        uint32_t version, flags, size = 0, count;
        switch (box.type) {
        case SDMOD_TYPE('s', 't', 's', 'z'):
        case SDMOD_TYPE('s', 't', 't', 's'):
        case SDMOD_TYPE('s', 't', 's', 'c'):
        case SDMOD_TYPE('s', 't', 'c', 'o'):
        case SDMOD_TYPE('c', 'o', '6', '4'):
        case SDMOD_TYPE('s', 't', 's', 's'): break;
        default: continue;
        }
        if (!sdmod_take_version(&box.body, &version, &flags) ||
            (box.type == SDMOD_TYPE('s', 't', 's', 'z') && !sdmod_take32(&box.body, &size)) ||
            !sdmod_take32(&box.body, &count))
            continue;
        if (count > SDAVIF_FRAME_LIMIT)
            return too_large(error, "avif: frames exceed the limit of 10000");
    }
    return SDIMAGE_STATUS_OK;
}

/* Checks the container boxes of a track, down to the sample table. */
static sdimage_status check_track(sdmod_span body, int depth, sdimage_error **error) {
    enum { DEPTH_LIMIT = 4 };
    sdimage_status status = SDIMAGE_STATUS_OK;
    sdmod_box box;
    while (status >= 0 && depth < DEPTH_LIMIT && sdmod_next_box(&body, &box))
        switch (box.type) {
        case SDMOD_TYPE('m', 'e', 't', 'a'): status = check_meta(box.body, error); break;
        case SDMOD_TYPE('s', 't', 'b', 'l'): status = check_samples(box.body, error); break;
        case SDMOD_TYPE('m', 'd', 'i', 'a'):
        case SDMOD_TYPE('m', 'i', 'n', 'f'): status = check_track(box.body, depth + 1, error); break;
        default: break;
        }
    return status;
}

static sdimage_status check_movie(sdmod_span movie, sdimage_error **error) {
    sdimage_status status = SDIMAGE_STATUS_OK;
    sdmod_box box;
    size_t tracks = 0;
    while (status >= 0 && sdmod_next_box(&movie, &box)) {
        if (box.type != SDMOD_TYPE('t', 'r', 'a', 'k'))
            continue;
        status = ++tracks > SDAVIF_TRACK_LIMIT ? too_large(error, "avif: tracks exceed the limit of 16")
                                               : check_track(box.body, 0, error);
    }
    return status;
}

/* --- Tiles. */

/* Adds the tiles of one grid; `coded` is the number of bytes that they may still take. */
static sdimage_status add_tiles(const sdheif_container *c, const sdheif_item *grid, uint64_t *coded, uint64_t *total,
                                sdavif_tiles *tiles, sdimage_error **error) {
    uint32_t ids[TILE_LIMIT];
    size_t count = sdheif_references(c, SDMOD_TYPE('d', 'i', 'm', 'g'), grid->id, ids, TILE_LIMIT);
    if (count > TILE_LIMIT)
        return too_large(error, "avif: tiles exceed the limit of 1024");
    for (size_t i = 0; i < count; i++) {
        const sdheif_item *tile = sdheif_find_item(c, ids[i]);
        sdmod_span size;
        uint32_t width, height;
        if (!tile)
            return sdmod_fail(error, SDIMAGE_STATUS_BAD_DATA, "avif: tile is missing");
        uint64_t length = sdheif_coded_length(c, tile, SDMOD_TYPE('a', 'v', '1', 'C'));
        if (length > *coded)
            return too_large(error, "avif: tiles with shared bytes are longer than the file");
        *coded -= length;
        if (sdheif_find_property(c, tile, SDMOD_TYPE('i', 's', 'p', 'e'), &size) && sdmod_skip(&size, 4) &&
            sdmod_take32(&size, &width) && sdmod_take32(&size, &height)) {
            tiles->width = width > tiles->width ? width : tiles->width;
            tiles->height = height > tiles->height ? height : tiles->height;
        }
    }
    *total += count;
    return SDIMAGE_STATUS_OK;
}

static sdimage_status find_tiles(const sdheif_container *c, sdavif_tiles *tiles, sdimage_error **error) {
    enum { RELATED_LIMIT = 16 };
    const sdheif_item *primary = sdheif_find_item(c, c->primary);
    if (!primary || primary->type != SDMOD_TYPE('g', 'r', 'i', 'd'))
        return SDIMAGE_STATUS_OK;
    uint32_t ids[RELATED_LIMIT];
    uint64_t coded = sdheif_most_coded(c);
    sdimage_status status = add_tiles(c, primary, &coded, &tiles->color, tiles, error);
    size_t count = sdheif_referrers(c, SDMOD_TYPE('a', 'u', 'x', 'l'), primary->id, ids, RELATED_LIMIT);
    for (size_t i = 0; status >= 0 && i < count; i++) {
        const sdheif_item *other = sdheif_find_item(c, ids[i]);
        if (other)
            status = add_tiles(c, other, &coded, &tiles->alpha, tiles, error);
    }
    return status;
}

sdimage_status sdavif_check_tables(const void *bytes, size_t length, const sdimage_work_budget *budget,
                                   sdavif_tiles *tiles, sdimage_error **error) {
    sdmod_span file = {bytes, length};
    sdmod_box box;
    bool has_items = false;
    sdimage_status status = sdmod_check_budget(budget, error);
    *tiles = (sdavif_tiles){0, 0, 0, 0};
    while (status >= 0 && sdmod_next_box(&file, &box)) {
        if (box.type == SDMOD_TYPE('m', 'e', 't', 'a')) {
            status = check_meta(box.body, error);
            has_items = true;
        } else if (box.type == SDMOD_TYPE('m', 'o', 'o', 'v')) {
            status = check_movie(box.body, error);
        }
    }
    if (status < 0 || !has_items)
        return status;
    sdheif_container container;
    status = sdheif_container_open(&container, bytes, length, budget, error);
    if (status >= 0)
        status = find_tiles(&container, tiles, error);
    sdheif_container_close(&container);
    return status < 0 ? status : sdmod_check_budget(budget, error);
}
