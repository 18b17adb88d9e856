/* limits.c: a pass over the tables of a file before libavif sees it. Called by avif.c for each decode, description and
 * instance.
 *
 * libavif searches its tables linearly for each entry, so that large tables would take quadratic time. The checks here
 * read each table once. They only count: a table that ends early is accepted, and left for libavif to refuse. The
 * sections are those of ISO/IEC 14496-12, unless another standard is named. */
#include "limits.h"

#include "heif_container.h"

/* Limit of the tiles of one grid. Each has an AV1 decoder of its own. */
enum { TILE_LIMIT = 1024 };

static sdimage_status too_large(sdimage_error **error, const char *message) {
    return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, message);
}

/* Reads a number of 2 or 4 bytes. */
static bool take_either(sdcs_span *span, bool is_wide, uint64_t *value) {
    return sdcs_take(span, is_wide ? 4 : 2, value);
}

/* --- Items. */

/* `iinf`, ISO/IEC 14496-12, 8.11.6. Boxes are counted instead of trusting the number in the table. */
static sdimage_status check_items(sdcs_span table, sdimage_error **error) {
    uint32_t version, flags;
    uint64_t count, found = 0;
    sdcs_box box;
    if (!sdcs_take_version(&table, &version, &flags) || !take_either(&table, version > 0, &count))
        return SDIMAGE_STATUS_OK;
    while (found <= SDHEIF_ITEM_LIMIT && sdcs_next_box(&table, &box))
        found++;
    return found > SDHEIF_ITEM_LIMIT ? too_large(error, "avif: items exceed the limit of 4096") : SDIMAGE_STATUS_OK;
}

/* `iloc`, 8.11.3. libavif makes an entry for each extent, even if it takes no bytes in the file. */
static sdimage_status check_locations(sdcs_span table, sdimage_error **error) {
    uint32_t version, flags;
    uint64_t sizes, count, extents, total = 0;
    if (!sdcs_take_version(&table, &version, &flags) || version > 2 || !sdcs_take(&table, 2, &sizes) ||
        !take_either(&table, version > 1, &count))
        return SDIMAGE_STATUS_OK;
    if (count > SDHEIF_ITEM_LIMIT)
        return too_large(error, "avif: items exceed the limit of 4096");
    /* Bytes of an extent and of the fields before the count of extents, from the nibbles of `sizes`: offset, length,
     * base offset, index. */
    size_t each = (size_t)((sizes >> 12 & 15) + (sizes >> 8 & 15) + (version > 0 ? sizes & 15 : 0));
    size_t head = (version > 1 ? 4 : 2) + (version > 0 ? 2 : 0) + 2 + (size_t)(sizes >> 4 & 15);
    for (; count > 0; count--) {
        if (!sdcs_skip(&table, head) || !sdcs_take(&table, 2, &extents))
            return SDIMAGE_STATUS_OK;
        total += extents;
        if (total > SDHEIF_EXTENT_LIMIT)
            return too_large(error, "avif: extents exceed the limit of 65536");
        if (!sdcs_skip(&table, (size_t)extents * each))
            return SDIMAGE_STATUS_OK;
    }
    return SDIMAGE_STATUS_OK;
}

/* `iref`, 8.11.12. Each box counts as one reference in addition to those it holds, so that empty boxes are limited
 * too. */
static sdimage_status check_references(sdcs_span table, sdimage_error **error) {
    uint32_t version, flags;
    uint64_t owner, count, total = 0;
    sdcs_box box;
    if (!sdcs_take_version(&table, &version, &flags))
        return SDIMAGE_STATUS_OK;
    while (total <= SDAVIF_REFERENCE_LIMIT && sdcs_next_box(&table, &box))
        total += 1 + (take_either(&box.body, version > 0, &owner) && sdcs_take(&box.body, 2, &count) ? count : 0);
    return total > SDAVIF_REFERENCE_LIMIT ? too_large(error, "avif: references between items exceed the limit of 16384")
                                          : SDIMAGE_STATUS_OK;
}

/* `iprp`, 8.11.14: the properties in `ipco`, and the entries of all `ipma`, of which each names an item. */
static sdimage_status check_properties(sdcs_span body, sdimage_error **error) {
    sdcs_box box, property;
    uint64_t properties = 0, associations = 0;
    while (sdcs_next_box(&body, &box)) {
        uint32_t version, flags, count;
        if (box.type == SDCS_FOURCC('i', 'p', 'c', 'o'))
            while (properties <= SDHEIF_PROPERTY_LIMIT && sdcs_next_box(&box.body, &property))
                properties++;
        /* The other boxes of `iprp` are `ipma`. */
        else if (sdcs_take_version(&box.body, &version, &flags) && sdcs_take32(&box.body, &count))
            associations += count;
        if (properties > SDHEIF_PROPERTY_LIMIT || associations > SDHEIF_PROPERTY_LIMIT)
            return too_large(error, "avif: properties exceed the limit of 16384");
    }
    return SDIMAGE_STATUS_OK;
}

/* `meta`, 8.11.1: of the file, or of a track. */
static sdimage_status check_meta(sdcs_span meta, sdimage_error **error) {
    sdimage_status status = SDIMAGE_STATUS_OK;
    sdcs_box box;
    /* Version and flags. */
    if (!sdcs_skip(&meta, 4))
        return status;
    while (status >= 0 && sdcs_next_box(&meta, &box))
        switch (box.type) {
        case SDCS_FOURCC('i', 'i', 'n', 'f'): status = check_items(box.body, error); break;
        case SDCS_FOURCC('i', 'l', 'o', 'c'): status = check_locations(box.body, error); break;
        case SDCS_FOURCC('i', 'r', 'e', 'f'): status = check_references(box.body, error); break;
        case SDCS_FOURCC('i', 'p', 'r', 'p'): status = check_properties(box.body, error); break;
        default: break;
        }
    return status;
}

/* --- Tracks. */

/* `stbl`, 8.5.1. A chunk has at least one sample, and a sample is one frame. */
static sdimage_status check_samples(sdcs_span table, sdimage_error **error) {
    sdcs_box box;
    while (sdcs_next_box(&table, &box)) {
        uint32_t version, flags, size = 0, count;
        switch (box.type) {
        /* Sizes, durations, chunks, their offsets and key frames: all begin with a count of entries after version and
         * flags. In `stsz` a common size comes first. */
        case SDCS_FOURCC('s', 't', 's', 'z'):
        case SDCS_FOURCC('s', 't', 't', 's'):
        case SDCS_FOURCC('s', 't', 's', 'c'):
        case SDCS_FOURCC('s', 't', 'c', 'o'):
        case SDCS_FOURCC('c', 'o', '6', '4'):
        case SDCS_FOURCC('s', 't', 's', 's'): break;
        default: continue;
        }
        if (!sdcs_take_version(&box.body, &version, &flags) ||
            (box.type == SDCS_FOURCC('s', 't', 's', 'z') && !sdcs_take32(&box.body, &size)) ||
            !sdcs_take32(&box.body, &count))
            continue;
        if (count > SDAVIF_FRAME_LIMIT)
            return too_large(error, "avif: frames exceed the limit of 10000");
    }
    return SDIMAGE_STATUS_OK;
}

/* Checks the container boxes of a track, down to the sample table. The depth of the recursion is limited, since `mdia`
 * and `minf` can be nested in each other. */
static sdimage_status check_track(sdcs_span body, int depth, sdimage_error **error) {
    enum { DEPTH_LIMIT = 4 };
    sdimage_status status = SDIMAGE_STATUS_OK;
    sdcs_box box;
    while (status >= 0 && depth < DEPTH_LIMIT && sdcs_next_box(&body, &box))
        switch (box.type) {
        case SDCS_FOURCC('m', 'e', 't', 'a'): status = check_meta(box.body, error); break;
        case SDCS_FOURCC('s', 't', 'b', 'l'): status = check_samples(box.body, error); break;
        case SDCS_FOURCC('m', 'd', 'i', 'a'):
        case SDCS_FOURCC('m', 'i', 'n', 'f'): status = check_track(box.body, depth + 1, error); break;
        default: break;
        }
    return status;
}

/* `moov`, 8.2.1: limits the number of tracks, and checks each. */
static sdimage_status check_movie(sdcs_span movie, size_t *total, sdimage_error **error) {
    sdimage_status status = SDIMAGE_STATUS_OK;
    sdcs_box box;
    size_t tracks = 0;
    while (status >= 0 && sdcs_next_box(&movie, &box)) {
        if (box.type != SDCS_FOURCC('t', 'r', 'a', 'k'))
            continue;
        status = ++tracks > SDAVIF_TRACK_LIMIT ? too_large(error, "avif: tracks exceed the limit of 16")
                                               : check_track(box.body, 0, error);
    }
    *total += tracks;
    return status;
}

/* --- Tiles. */

/* Enlarges the largest tile to an item: `ispe`, ISO/IEC 23008-12, 6.5.3: version and flags, width, height. Alpha of
 * older encoders has none: `stream` has its size then; NULL for colors. */
static void add_size(const sdheif_container *c, const sdheif_item *item, const sdcs_av1_stream *stream,
                     sdavif_tiles *tiles) {
    sdcs_span size;
    uint32_t width = stream ? stream->width : 0, height = stream ? stream->height : 0;
    if (sdheif_find_property(c, item, SDCS_FOURCC('i', 's', 'p', 'e'), &size) &&
        (!sdcs_skip(&size, 4) || !sdcs_take32(&size, &width) || !sdcs_take32(&size, &height)))
        return;
    tiles->width = sdcs_larger(tiles->width, width);
    tiles->height = sdcs_larger(tiles->height, height);
}

/* Reads the stream of an item. `coded` is the number of bytes that further items may take. */
static sdimage_status add_stream(const sdheif_container *c, const sdheif_item *item, uint64_t *coded,
                                 sdcs_av1_stream *stream, sdimage_error **error) {
    sdheif_bytes bytes;
    /* Many items could share the same bytes of the file, and each would be decoded. */
    uint64_t length = sdheif_coded_length(c, item, SDCS_FOURCC('a', 'v', '1', 'C'));
    if (length > *coded)
        return too_large(error, "avif: tiles with shared bytes are longer than the file");
    *coded -= length;
    /* libavif refuses an item without extents. A grid has no units of a stream. */
    if (!item->extent_count)
        return SDIMAGE_STATUS_OK;
    sdimage_status status = sdheif_item_bytes(c, item, &bytes, NULL);
    if (status >= 0)
        sdcs_read_av1_stream(bytes.span, stream);
    sdheif_release_bytes(&bytes);
    /* Incomplete files can be described. libavif decodes no item that extends beyond the end. */
    return status >= 0 || status == SDIMAGE_STATUS_TRUNCATED
               ? SDIMAGE_STATUS_OK
               : sdcs_fail(error, status, "avif: bytes of an item cannot be read");
}

/* Adds an item and, if it is a grid, its tiles. `total` is the count of tiles. An item that is not derived from others
 * adds none. The type of the item does not matter: of two entries for one item, libavif takes the last. */
static sdimage_status add_image(const sdheif_container *c, const sdheif_item *image, bool is_alpha, uint64_t *coded,
                                sdavif_tiles *tiles, sdimage_error **error) {
    uint32_t ids[TILE_LIMIT];
    sdcs_av1_stream *stream = is_alpha ? &tiles->alpha_stream : &tiles->stream;
    const sdcs_av1_stream *size = is_alpha ? stream : NULL;
    /* libavif combines the boxes. */
    if (sdheif_reference_boxes(c, SDCS_FOURCC('d', 'i', 'm', 'g'), image->id) > 1)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "avif: tiles of a grid are listed twice");
    size_t count = sdheif_references(c, SDCS_FOURCC('d', 'i', 'm', 'g'), image->id, ids, TILE_LIMIT);
    if (count > TILE_LIMIT)
        return too_large(error, "avif: tiles exceed the limit of 1024");
    sdimage_status status = add_stream(c, image, coded, stream, error);
    if (!count && is_alpha)
        add_size(c, image, size, tiles);
    for (size_t i = 0; status >= 0 && i < count; i++) {
        const sdheif_item *tile = sdheif_find_item(c, ids[i]);
        if (!tile)
            return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "avif: tile is missing");
        status = add_stream(c, tile, coded, stream, error);
        add_size(c, tile, size, tiles);
    }
    *(is_alpha ? &tiles->alpha : &tiles->color) += count;
    return status;
}

/* Reports that libavif may take an auxiliary item for alpha. */
static bool may_be_alpha(const sdheif_container *c, const sdheif_item *item) {
    sdcs_span kind;
    return !sdheif_find_property(c, item, SDCS_FOURCC('a', 'u', 'x', 'C'), &kind) || sdheif_is_alpha(c, item);
}

/* Reads the streams of alpha whose items belong to the tiles of a grid instead of the grid. */
static sdimage_status add_alpha(const sdheif_container *c, sdavif_tiles *tiles, sdimage_error **error) {
    uint64_t coded = sdheif_most_coded(c);
    sdimage_status status = SDIMAGE_STATUS_OK;
    for (size_t i = 0; status >= 0 && i < c->item_count; i++) {
        const sdheif_item *item = &c->items[i];
        if (!sdheif_is_alpha(c, item))
            continue;
        status = add_stream(c, item, &coded, &tiles->alpha_stream, error);
        add_size(c, item, &tiles->alpha_stream, tiles);
    }
    return status;
}

/* Counts the tiles of the primary item and of the alpha items that refer to it, and reads their streams. Alpha may be
 * a grid although the image is none, and the reverse. */
static sdimage_status find_tiles(const sdheif_container *c, sdavif_tiles *tiles, sdimage_error **error) {
    enum { RELATED_LIMIT = 16 };
    const sdheif_item *primary = sdheif_find_item(c, c->primary);
    if (!primary)
        return SDIMAGE_STATUS_OK;
    /* One more than the limit: libavif takes the first alpha of all. */
    uint32_t ids[RELATED_LIMIT + 1];
    /* The color and all alpha images share one allowance. */
    uint64_t coded = sdheif_most_coded(c);
    sdimage_status status = add_image(c, primary, false, &coded, tiles, error);
    size_t count = sdheif_referrers(c, SDCS_FOURCC('a', 'u', 'x', 'l'), primary->id, ids, RELATED_LIMIT + 1);
    if (status >= 0 && count > RELATED_LIMIT)
        status = too_large(error, "avif: auxiliary images exceed the limit of 16");
    for (size_t i = 0; status >= 0 && i < count; i++) {
        const sdheif_item *other = sdheif_find_item(c, ids[i]);
        if (other && may_be_alpha(c, other))
            status = add_image(c, other, true, &coded, tiles, error);
    }
    return status >= 0 && tiles->color && !tiles->alpha ? add_alpha(c, tiles, error) : status;
}

sdimage_status sdavif_check_tables(const void *bytes, size_t length, const sdimage_work_budget *budget,
                                   sdavif_tiles *tiles, sdimage_error **error) {
    sdcs_span file = {bytes, length};
    sdcs_box box;
    bool has_items = false;
    size_t tracks = 0;
    uint32_t brand = 0;
    sdimage_status status = sdcs_check_budget(budget, error);
    *tiles = (sdavif_tiles){.color = 0};
    while (status >= 0 && sdcs_next_box(&file, &box)) {
        if (box.type == SDCS_FOURCC('m', 'e', 't', 'a')) {
            status = check_meta(box.body, error);
            has_items = true;
        } else if (box.type == SDCS_FOURCC('m', 'o', 'o', 'v')) {
            status = check_movie(box.body, &tracks, error);
        } else if (box.type == SDCS_FOURCC('f', 't', 'y', 'p') && !brand) {
            sdcs_take32(&box.body, &brand);
        }
    }
    /* The choice of libavif. */
    tiles->uses_tracks =
        brand == SDCS_FOURCC('a', 'v', 'i', 's') || (brand != SDCS_FOURCC('a', 'v', 'i', 'f') && tracks);
    /* The items of a sequence are not decoded. */
    if (status < 0 || !has_items || tiles->uses_tracks)
        return status;
    sdheif_container container;
    status = sdheif_container_open(&container, bytes, length, budget, error);
    container.skips_empty = true;
    if (status >= 0)
        status = find_tiles(&container, tiles, error);
    sdheif_container_close(&container);
    return status < 0 ? status : sdcs_check_budget(budget, error);
}
