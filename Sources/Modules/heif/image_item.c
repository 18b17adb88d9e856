/* image_item.c: the properties of an item, combined to what the decoder needs. heif.c calls it for the primary item,
 * its alpha, its gain map and its thumbnails. Sections without a standard are those of ISO/IEC 23008-12.
 *
 * Transformations are combined to one orientation and one rectangle in stored coordinates, whatever their order: the
 * planes are cut before they are rotated. */
#include "image_item.h"

#include <stdlib.h>
#include <string.h>

#include "pixel_format.h"

/* Limit of the examined items that refer to an image as its thumbnail or alpha. */
enum { RELATED_LIMIT = 16 };

/* Limit of identity derivations from one another. */
enum { OUTLINE_DEPTH = 4 };

static const uint32_t CODED = SDCS_FOURCC('h', 'v', 'c', '1'), GRID = SDCS_FOURCC('g', 'r', 'i', 'd');

/* Fails with BAD_DATA. */
static sdimage_status damaged(sdimage_error **error, const char *what) {
    return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, what);
}

/* Reads the size before rotation and cropping: `ispe`, 6.5.3. False without one, and for an empty image. */
static bool read_size(const sdheif_container *c, const sdheif_item *item, uint32_t *width, uint32_t *height) {
    sdcs_span body;
    return sdheif_find_property(c, item, SDCS_FOURCC('i', 's', 'p', 'e'), &body) && sdcs_skip(&body, 4) &&
           sdcs_take32(&body, width) && sdcs_take32(&body, height) && *width && *height;
}

/* Reads the decoder configuration of a coded item. */
static bool read_coding(const sdheif_container *c, const sdheif_item *item, sdheif_configuration *configuration) {
    sdcs_span body;
    return sdheif_find_property(c, item, SDCS_FOURCC('h', 'v', 'c', 'C'), &body) &&
           sdheif_read_configuration(body, configuration);
}

/* --- Tiles. */

/* Pixels that a tile may always have, whatever the size of the image. */
enum { LARGE_TILE = 1 << 22 };

/* Reads the item data of a `grid`, 6.6.2.3: version, flags, rows and columns minus 1, and the size of the image. False
 * if it ends early, and for an empty image. */
static bool read_grid(sdcs_span body, sdheif_image *p) {
    uint64_t flags, rows, columns, width, height;
    if (!sdcs_skip(&body, 1) || !sdcs_take(&body, 1, &flags) || !sdcs_take(&body, 1, &rows) ||
        !sdcs_take(&body, 1, &columns) || !sdcs_take(&body, flags & 1 ? 4 : 2, &width) ||
        !sdcs_take(&body, flags & 1 ? 4 : 2, &height))
        return false;
    p->rows = (uint32_t)rows + 1;
    p->columns = (uint32_t)columns + 1;
    p->width = (uint32_t)width;
    p->height = (uint32_t)height;
    return width && height;
}

/* Orders keys, so that equal items are adjacent. A key has the item of a tile in the high half, and its position in the
 * low half. */
static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the tiles by item, and finds the runs of equal ones. An item that a grid repeats is decoded only once. False
 * without memory. */
static bool sort_tiles(sdheif_image *p) {
    size_t count = (size_t)p->rows * p->columns;
    uint64_t *keys = malloc(count * sizeof *keys);
    p->order = malloc(count * sizeof *p->order);
    p->runs = malloc(count * sizeof *p->runs);
    bool is_made = keys && p->order && p->runs;
    for (size_t i = 0; is_made && i < count; i++)
        keys[i] = (uint64_t)p->tiles[i] << 32 | i;
    if (is_made)
        qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; is_made && i < count; i++) {
        p->order[i] = (uint32_t)keys[i];
        if (i == 0 || keys[i] >> 32 != keys[i - 1] >> 32)
            /* A run begins where the item changes. */
            p->runs[p->run_count++] = (uint32_t)i;
    }
    free(keys);
    return is_made;
}

/* Checks that a tile has the same coding as the others; the first one decides. */
static sdimage_status check_tile(const sdheif_container *c, sdheif_image *p, const sdheif_item *tile, bool is_first,
                                 sdimage_error **error) {
    sdheif_configuration coding;
    uint32_t width, height;
    if (!tile)
        return damaged(error, "heif: tile is missing");
    /* Grids of other coded images are left to libheif. */
    if (tile->type != CODED)
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "heif: tile is not coded as H.265");
    if (!read_size(c, tile, &width, &height) || !read_coding(c, tile, &coding))
        return damaged(error, "heif: tile has no size or no configuration");
    if (is_first) {
        p->tile_width = width;
        p->tile_height = height;
        p->configuration = coding;
    } else if (width != p->tile_width || height != p->tile_height || coding.depth != p->configuration.depth ||
               coding.chroma_format != p->configuration.chroma_format) {
        return damaged(error, "heif: tiles differ in size or format");
    }
    return SDIMAGE_STATUS_OK;
}

/* Checks that the tiles cover the image, and that their bytes do not exceed sdheif_most_coded. An item counts once,
 * however often the grid shows it. */
static sdimage_status check_tiles(const sdheif_container *c, sdheif_image *p, sdimage_error **error) {
    if (!sort_tiles(p))
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "heif: no memory for the tiles");
    uint64_t coded = 0, most = sdheif_most_coded(c);
    for (size_t i = 0; i < p->run_count; i++) {
        const sdheif_item *tile = sdheif_find_item(c, p->tiles[p->order[p->runs[i]]]);
        sdimage_status status = check_tile(c, p, tile, i == 0, error);
        if (status < 0)
            return status;
        uint64_t length = sdheif_coded_length(c, tile, SDCS_FOURCC('h', 'v', 'c', 'C'));
        if (length > most - coded)
            return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "heif: tiles with shared bytes are longer than the file");
        coded += length;
    }
    if ((uint64_t)p->tile_width * p->columns < p->width || (uint64_t)p->tile_height * p->rows < p->height)
        return damaged(error, "heif: tiles do not cover the image");
    /* Pixels decoded without being shown are not bounded by the size of the image. */
    if ((uint64_t)p->tile_width * (p->columns - 1) >= p->width || (uint64_t)p->tile_height * (p->rows - 1) >= p->height)
        return damaged(error, "heif: tiles lie outside of the image");
    uint64_t shown = (uint64_t)p->width * p->height, tile = (uint64_t)p->tile_width * p->tile_height;
    if (tile > (shown > LARGE_TILE ? shown : LARGE_TILE))
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "heif: tile has more pixels than the image");
    return SDIMAGE_STATUS_OK;
}

/* Reads size and tiles of an item. A coded image is a grid of one tile. */
static sdimage_status read_tiles(const sdheif_container *c, sdheif_image *p, sdimage_error **error) {
    if (p->item->type == GRID) {
        sdheif_bytes bytes;
        sdimage_status status = sdheif_item_bytes(c, p->item, &bytes, error);
        bool is_read = status >= 0 && read_grid(bytes.span, p);
        sdheif_release_bytes(&bytes);
        if (!is_read)
            return status < 0 ? status : damaged(error, "heif: grid ends early");
    } else if (p->item->type == CODED) {
        p->rows = p->columns = 1;
        if (!read_size(c, p->item, &p->width, &p->height))
            return damaged(error, "heif: image has no size");
    } else {
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "heif: unknown type of the primary item");
    }
    size_t count = (size_t)p->rows * p->columns;
    p->tiles = calloc(count, sizeof *p->tiles);
    if (!p->tiles)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "heif: no memory for the tiles");
    if (p->item->type == CODED)
        p->tiles[0] = p->item->id;
    /* More references than positions are damage, as are fewer. */
    else if (sdheif_references(c, SDCS_FOURCC('d', 'i', 'm', 'g'), p->item->id, p->tiles, count) != count)
        return damaged(error, "heif: tiles of the grid are missing");
    return check_tiles(c, p, error);
}

/* --- Rotation, mirroring and cropping, in the order of the properties. */

/* Returns `orientation` after a further transformation of the displayed image: counter-clockwise quarter turns, or left
 * and right, or top and bottom, exchanged. Both tables are indexed by the EXIF orientation. */
static sdimage_orientation then(sdimage_orientation orientation, unsigned turns, bool left_right, bool top_bottom) {
    static const uint8_t turned[9] = {0, 8, 5, 6, 7, 4, 1, 2, 3}, mirrored[9] = {0, 2, 1, 4, 3, 6, 5, 8, 7};
    unsigned value = (unsigned)orientation;
    for (; turns > 0; turns--)
        value = turned[value];
    if (left_right || top_bottom)
        value = mirrored[value];
    /* Exchanging top and bottom is exchanging left and right, then half a turn. */
    if (top_bottom)
        value = turned[turned[value]];
    return (sdimage_orientation)value;
}

/* Computes a range of `size` within `whole`, its center `offset` away from the center of the whole; fractions (ISO/IEC
 * 14496-12, 12.1.4). The range is clamped to the whole and rounded to pixels. False for a division by 0 and for an
 * empty range. */
static bool cut(uint32_t whole, const uint32_t size[2], const uint32_t offset[2], uint32_t *start, uint32_t *length) {
    if (!size[1] || !offset[1])
        return false;
    /* The numerator of the offset is signed. */
    double wanted = (double)size[0] / size[1], shift = (double)(int32_t)offset[0] / offset[1];
    double first = shift + (whole - 1.0) / 2 - (wanted - 1) / 2, last = first + wanted - 1;
    if (first < 0)
        first = 0;
    if (last > whole - 1.0)
        last = whole - 1.0;
    if (!(wanted >= 1) || !(last >= first))
        return false;
    *start = (uint32_t)(first + 0.5);
    *length = (uint32_t)(last + 0.5) - *start + 1;
    return *start < whole && *length <= whole - *start;
}

/* Crops the currently displayed part. The result is converted to stored coordinates. `body` is that of `clap`: the
 * fractions of width, height, and both offsets. */
static bool crop(sdheif_image *p, sdcs_span body) {
    uint32_t n[8];
    for (size_t i = 0; i < 8; i++)
        if (!sdcs_take32(&body, &n[i]))
            return false;
    bool turned = sdcs_swaps_sides(p->orientation);
    uint32_t width = turned ? p->displayed_height : p->displayed_width,
             height = turned ? p->displayed_width : p->displayed_height;
    uint32_t x, y, w, h;
    if (!cut(width, &n[0], &n[4], &x, &w) || !cut(height, &n[2], &n[6], &y, &h))
        return false;
    unsigned o = (unsigned)p->orientation;
    /* EXIF orientations for which the displayed left side is the stored right or bottom one. */
    if (o == 2 || o == 3 || o == 6 || o == 7)
        x = width - x - w;
    /* EXIF orientations for which the displayed top side is the stored bottom or right one. */
    if (o == 3 || o == 4 || o == 7 || o == 8)
        y = height - y - h;
    p->left += turned ? y : x;
    p->top += turned ? x : y;
    p->displayed_width = turned ? h : w;
    p->displayed_height = turned ? w : h;
    return true;
}

/* Applies `irot`, `imir` and `clap` in the order of the item's associations, which is the order of application. */
static sdimage_status read_transformations(const sdheif_container *c, sdheif_image *p, sdimage_error **error) {
    sdcs_box property;
    p->orientation = SDIMAGE_ORIENTATION_UP;
    p->displayed_width = p->width;
    p->displayed_height = p->height;
    for (size_t i = 0; sdheif_property(c, p->item, i, &property); i++) {
        uint64_t value = 0;
        if (property.type == SDCS_FOURCC('i', 'r', 'o', 't') && sdcs_take(&property.body, 1, &value))
            /* The lowest two bits of `irot` are counter-clockwise quarter turns. */
            p->orientation = then(p->orientation, value & 3, false, false);
        else if (property.type == SDCS_FOURCC('i', 'm', 'i', 'r') && sdcs_take(&property.body, 1, &value))
            p->orientation = then(p->orientation, 0, value & 1, !(value & 1));
        else if (property.type == SDCS_FOURCC('c', 'l', 'a', 'p') && !crop(p, property.body))
            return damaged(error, "heif: region lies outside of the image");
    }
    return SDIMAGE_STATUS_OK;
}

/* --- Color and alpha. */

/* Finds the first alpha among the auxiliary items of an image. `prem` refers from an image to the alpha by which it is
 * multiplied. */
static void find_alpha(const sdheif_container *c, sdheif_image *p) {
    uint32_t ids[RELATED_LIMIT], to;
    size_t count = sdheif_referrers(c, SDCS_FOURCC('a', 'u', 'x', 'l'), p->item->id, ids, RELATED_LIMIT);
    for (size_t i = 0; i < count; i++) {
        const sdheif_item *item = sdheif_find_item(c, ids[i]);
        if (!item || !sdheif_is_alpha(c, item))
            continue;
        p->alpha = item;
        p->premultiplied =
            sdheif_references(c, SDCS_FOURCC('p', 'r', 'e', 'm'), p->item->id, &to, 1) > 0 && to == item->id;
        return;
    }
}

sdimage_status sdheif_image_read(const sdheif_container *c, const sdheif_item *item, sdheif_image *p,
                                 sdimage_error **error) {
    *p = (sdheif_image){.item = item};
    sdimage_status status = read_tiles(c, p, error);
    if (status >= 0)
        status = read_transformations(c, p, error);
    if (status < 0)
        return status;
    sdheif_read_colors(c, item, &p->colors);
    /* The colors of the grid have precedence over those of its first tile. */
    if (item->type == GRID)
        sdheif_read_colors(c, sdheif_find_item(c, p->tiles[0]), &p->colors);
    find_alpha(c, p);
    return SDIMAGE_STATUS_OK;
}

/* Reads the size before rotation and cropping: that of `ispe`, and for an identity derivation (6.6.2.1), where libheif
 * ignores it, that of the other image as displayed. */
static bool read_outline_size(const sdheif_container *c, const sdheif_item *item, unsigned depth, uint32_t *width,
                              uint32_t *height) {
    uint32_t other;
    if (item->type != SDCS_FOURCC('i', 'd', 'e', 'n') || !depth ||
        !sdheif_references(c, SDCS_FOURCC('d', 'i', 'm', 'g'), item->id, &other, 1))
        return read_size(c, item, width, height);
    sdheif_image base = {.item = sdheif_find_item(c, other)};
    if (!base.item || !read_outline_size(c, base.item, depth - 1, &base.width, &base.height) ||
        read_transformations(c, &base, NULL) < 0)
        return false;
    /* The outline of the other image is that after its own transformations. */
    bool turned = sdcs_swaps_sides(base.orientation);
    *width = turned ? base.displayed_height : base.displayed_width;
    *height = turned ? base.displayed_width : base.displayed_height;
    return true;
}

bool sdheif_read_outline(const sdheif_container *c, sdheif_image *p) {
    /* Stands for the RGB of libheif, which decodes these images to 8 bits. */
    p->configuration = (sdheif_configuration){.chroma_format = 3, .depth = 8};
    if (!read_outline_size(c, p->item, OUTLINE_DEPTH, &p->width, &p->height) || read_transformations(c, p, NULL) < 0)
        return false;
    sdheif_read_colors(c, p->item, &p->colors);
    find_alpha(c, p);
    return true;
}

void sdheif_image_release(sdheif_image *p) {
    free(p->tiles);
    free(p->order);
    free(p->runs);
    p->tiles = p->order = p->runs = NULL;
}

/* Returns the bytes of planes of a size in the format of the image. */
static uint64_t bytes_of(const sdheif_image *p, uint32_t width, uint32_t height) {
    /* Quarters of a chroma sample for each pixel, by the format of chroma. */
    static const uint32_t chroma[4] = {0, 2, 4, 8};
    sdcs_info info = {.width = width, .height = height, .bits = (uint32_t)p->configuration.depth};
    info.chroma = chroma[p->configuration.chroma_format];
    return sdcs_plane_bytes(&info);
}

uint64_t sdheif_stored_bytes(const sdheif_image *p) {
    return bytes_of(p, p->width, p->height);
}

uint64_t sdheif_tile_bytes(const sdheif_image *p) {
    return bytes_of(p, p->tile_width, p->tile_height);
}

/* The format is HEIC if the brands name the codec, as for the library; otherwise HEIF. */
sdcs_info sdheif_info(const sdheif_container *c, const sdheif_image *p) {
    static const uint32_t chroma[4] = {0, 2, 4, 8};
    sdimage_format format = sdimage_sniff(c->file.bytes, c->file.length);
    sdcs_info info = {.format = format == SDIMAGE_FORMAT_HEIC ? format : SDIMAGE_FORMAT_HEIF};
    info.width = p->displayed_width;
    info.height = p->displayed_height;
    info.orientation = p->orientation;
    info.has_alpha = p->alpha != NULL;
    info.chroma = chroma[p->configuration.chroma_format];
    info.bits = (uint32_t)p->configuration.depth;
    info.frame_count = 1;
    info.color = p->colors.color;
    info.transfer = p->colors.transfer;
    info.profile = p->colors.profile;
    return info;
}

/* --- Thumbnails. */

/* Reports that `small` has at least the requested size of `large`, and its aspect ratio up to rounding. Both must be
 * turned alike, since sizes are those before rotation. */
static bool suffices(const sdcs_info *small, const sdcs_info *large, const sdcs_request *request) {
    bool turned = sdcs_swaps_sides(large->orientation);
    if (sdcs_swaps_sides(small->orientation) != turned)
        return false;
    double box_width = turned ? request->box.height : request->box.width;
    double box_height = turned ? request->box.width : request->box.height;
    /* Scales of the request; with preserved proportions the smaller one counts for both sides. */
    double x = box_width / large->width, y = box_height / large->height;
    if (request->keeps_aspect_ratio)
        x = y = x < y ? x : y;
    /* The difference of the aspect ratios by cross-multiplication. Rounding of one side of `small` by one pixel is a
     * skew of at most the longer side of `large`. */
    double skew = (double)small->width * large->height - (double)small->height * large->width;
    double allowed = (double)(large->width > large->height ? large->width : large->height);
    return small->width + 0.5 >= large->width * x && small->height + 0.5 >= large->height * y && skew <= allowed &&
           skew >= -allowed;
}

/* An image with alpha uses no thumbnail. */
const sdheif_item *sdheif_thumbnail(const sdheif_container *c, const sdheif_image *p, const sdcs_request *request) {
    const sdheif_item *best = NULL;
    /* The smallest one that suffices; none as large as the image. */
    uint64_t best_area = (uint64_t)p->displayed_width * p->displayed_height;
    if (!request->box.width || !request->box.height || p->alpha)
        return NULL;
    sdcs_info large = sdheif_info(c, p);
    uint32_t ids[RELATED_LIMIT];
    size_t count = sdheif_referrers(c, SDCS_FOURCC('t', 'h', 'm', 'b'), p->item->id, ids, RELATED_LIMIT);
    for (size_t i = 0; i < count; i++) {
        const sdheif_item *item = sdheif_find_item(c, ids[i]);
        sdheif_image thumbnail;
        if (!item || sdimage_work_budget_check(c->budget) != SDIMAGE_STATUS_OK)
            continue;
        if (sdheif_image_read(c, item, &thumbnail, NULL) >= 0) {
            sdcs_info small = sdheif_info(c, &thumbnail);
            uint64_t area = (uint64_t)small.width * small.height;
            if (area < best_area && suffices(&small, &large, request)) {
                best = item;
                best_area = area;
            }
        }
        sdheif_image_release(&thumbnail);
    }
    return best;
}
