#include "heif_blocks.h"

#include <string.h>

/* Limit of the examined items that describe the image. */
enum { BLOCK_LIMIT = 16 };

/* Reports that an item holds an XMP packet. Its content type follows the name, each with a NUL. */
static bool is_xmp(const sdheif_item *item) {
    static const char kind[] = "application/rdf+xml";
    const uint8_t *end = item->names.length ? memchr(item->names.bytes, 0, item->names.length) : NULL;
    sdcs_span content = item->names;
    return item->type == SDCS_FOURCC('m', 'i', 'm', 'e') && end &&
           sdcs_skip(&content, (size_t)(end - content.bytes) + 1) && content.length >= sizeof kind &&
           memcmp(content.bytes, kind, sizeof kind) == 0;
}

/* Finds the TIFF structure: EXIF begins with its offset in the rest (ISO/IEC 23008-12, annex A.2.1). Empty if the item
 * ends before. */
static sdcs_span tiff_of(sdcs_span exif) {
    uint32_t offset;
    return sdcs_take32(&exif, &offset) && sdcs_skip(&exif, offset) ? exif : (sdcs_span){NULL, 0};
}

sdheif_blocks sdheif_find_blocks(const sdheif_container *c, uint32_t image) {
    sdheif_blocks blocks = {.exif = {NULL, 0}};
    bool has_exif = false, has_xmp = false; /* also of empty items, which own memory */
    uint32_t ids[BLOCK_LIMIT];
    size_t count = sdheif_referrers(c, SDCS_FOURCC('c', 'd', 's', 'c'), image, ids, BLOCK_LIMIT);
    for (size_t i = 0; i < count; i++) {
        const sdheif_item *item = sdheif_find_item(c, ids[i]);
        /* A table that refers to unknown items is damaged; the rest of it is not searched. */
        if (!item)
            return blocks;
        /* The first readable block of each kind counts. */
        if (item->type == SDCS_FOURCC('E', 'x', 'i', 'f') && !has_exif) {
            has_exif = sdheif_item_bytes(c, item, &blocks.exif_item, NULL) >= 0;
            blocks.exif = has_exif ? tiff_of(blocks.exif_item.span) : blocks.exif;
        } else if (is_xmp(item) && !has_xmp) {
            has_xmp = sdheif_item_bytes(c, item, &blocks.xmp_item, NULL) >= 0;
            blocks.xmp = has_xmp ? blocks.xmp_item.span : blocks.xmp;
        }
    }
    return blocks;
}

void sdheif_release_blocks(sdheif_blocks *blocks) {
    sdheif_release_bytes(&blocks->exif_item);
    sdheif_release_bytes(&blocks->xmp_item);
    blocks->exif = blocks->xmp = (sdcs_span){NULL, 0};
}
