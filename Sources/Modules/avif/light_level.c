/* light_level.c: inserts a property `clli` into a finished file. Two insertions move bytes: the property, 12 bytes at
 * the end of `ipco`, and its association, 1 byte in `ipma`. The sizes of the boxes around them grow, and the offsets in
 * `iloc` move by 13. */
#include "light_level.h"

#include <string.h>

#include "boxes.h"
#include "fail.h"

/* Bytes of the property and its association, and of the headers of a box and a full box. */
enum { PROPERTY = 12, ASSOCIATION = 1, BOX = 8, FULL_BOX = 12 };

/* Most properties that 7 bits can number. */
enum { MAX_PROPERTIES = 127 };

/* The boxes to change; bodies without version and flags. */
typedef struct layout {
    sdcs_span meta, iprp, ipco, ipma, iloc; /* bodies of the boxes of these types */
    uint64_t primary;                       /* item */
    uint8_t *properties;                    /* count of the properties of the primary item */
    uint8_t number;                         /* index of the new property, from 1 */
} layout;

/* Writes the lower `count` bytes of a value, big-endian. */
static void put(uint8_t *to, uint64_t value, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = (uint8_t)(value >> 8 * (count - 1 - i));
}

/* Finds a full box of version 0 without flags, which libavif writes; the body follows both. */
static bool find_full_box(sdcs_span span, uint32_t type, sdcs_span *body) {
    uint32_t version, flags;
    return sdcs_find_box(span, type, body) && sdcs_take_version(body, &version, &flags) && !version && !flags;
}

/* Finds the boxes to change; false for another layout than libavif's. The insertions assume that `ipma` follows
 * `ipco`. */
static bool find_boxes(sdcs_span file, layout *layout) {
    sdcs_span pitm;
    return find_full_box(file, SDCS_FOURCC('m', 'e', 't', 'a'), &layout->meta) &&
           find_full_box(layout->meta, SDCS_FOURCC('p', 'i', 't', 'm'), &pitm) &&
           sdcs_take(&pitm, 2, &layout->primary) &&
           find_full_box(layout->meta, SDCS_FOURCC('i', 'l', 'o', 'c'), &layout->iloc) &&
           sdcs_find_box(layout->meta, SDCS_FOURCC('i', 'p', 'r', 'p'), &layout->iprp) &&
           sdcs_find_box(layout->iprp, SDCS_FOURCC('i', 'p', 'c', 'o'), &layout->ipco) &&
           find_full_box(layout->iprp, SDCS_FOURCC('i', 'p', 'm', 'a'), &layout->ipma) &&
           layout->ipma.bytes > layout->ipco.bytes;
}

/* Finds the associations of the primary item, which is the first one, and numbers the new property. */
static bool find_associations(layout *layout) {
    sdcs_span entries = layout->ipma, properties = layout->ipco;
    uint64_t count, item, associated;
    sdcs_box box;
    /* An association of one byte has 7 bits for the index; the highest bit marks an essential property. */
    for (layout->number = 1; sdcs_next_box(&properties, &box); layout->number++)
        if (layout->number == MAX_PROPERTIES)
            return false;
    if (!sdcs_take(&entries, 4, &count) || !sdcs_take(&entries, 2, &item) || item != layout->primary)
        return false;
    /* The bytes belong to `file`, which is writable; spans are const because readers share them. */
    layout->properties = (uint8_t *)(uintptr_t)entries.bytes;
    return sdcs_take(&entries, 1, &associated) && associated < UINT8_MAX && sdcs_skip(&entries, (size_t)associated);
}

/* Adds `shift` to the offset of each extent, in place; false for an unexpected layout. The caller then drops the
 * file. */
static bool move_extents(sdcs_span iloc, uint32_t shift) {
    uint64_t sizes, items, extents, offset;
    /* Nibbles: offsets and lengths of 4 bytes, no base offset, and a reserved one. */
    if (!sdcs_take(&iloc, 2, &sizes) || sizes != 0x4400 || !sdcs_take(&iloc, 2, &items))
        return false;
    for (; items > 0; items--) {
        if (!sdcs_skip(&iloc, 4) || !sdcs_take(&iloc, 2, &extents))
            return false;
        for (; extents > 0; extents--) {
            uint8_t *field = (uint8_t *)(uintptr_t)iloc.bytes;
            if (!sdcs_take(&iloc, 4, &offset) || !sdcs_skip(&iloc, 4) || offset > UINT32_MAX - shift)
                return false;
            put(field, offset + shift, 4);
        }
    }
    return true;
}

/* Lengthens a box, whose size precedes its body by `header` bytes. */
static void grow(sdcs_span body, size_t header, size_t bytes) {
    put((uint8_t *)(uintptr_t)body.bytes - header, body.length + header + bytes, 4);
}

/* Writes the changed file to `changed`, which has room for it. Overwrites fields of `file` before it copies them. */
static bool change(avifRWData *file, layout *layout, const uint8_t *property, avifRWData *changed) {
    if (!find_boxes((sdcs_span){file->data, file->size}, layout) || !find_associations(layout) ||
        !move_extents(layout->iloc, PROPERTY + ASSOCIATION))
        return false;
    grow(layout->meta, FULL_BOX, PROPERTY + ASSOCIATION);
    grow(layout->iprp, BOX, PROPERTY + ASSOCIATION);
    grow(layout->ipco, BOX, PROPERTY);
    grow(layout->ipma, FULL_BOX, ASSOCIATION);
    /* Both positions are offsets in the old file: the end of `ipco`, and the end of the associations of the primary
     * item. */
    size_t first = (size_t)(layout->ipco.bytes + layout->ipco.length - file->data);
    size_t second = (size_t)(layout->properties + 1 + *layout->properties - file->data);
    ++*layout->properties;
    memcpy(changed->data, file->data, first);
    memcpy(changed->data + first, property, PROPERTY);
    memcpy(changed->data + first + PROPERTY, file->data + first, second - first);
    /* Not essential: readers that do not know `clli` still show the image. */
    changed->data[second + PROPERTY] = layout->number;
    memcpy(changed->data + second + PROPERTY + ASSOCIATION, file->data + second, file->size - second);
    return true;
}

sdimage_status sdavif_add_light_level(avifRWData *file, uint32_t max_content, uint32_t max_frame_average,
                                      sdimage_error **error) {
    /* Size, type, and two numbers of 16 bits. */
    uint8_t property[PROPERTY] = {0, 0, 0, PROPERTY, 'c', 'l', 'l', 'i'};
    put(property + 8, max_content, 2);
    put(property + 10, max_frame_average, 2);
    size_t size = file->size + PROPERTY + ASSOCIATION;
    avifRWData changed = {avifAlloc(size), size};
    layout layout;
    if (!changed.data)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "avif: no memory for the file");
    if (!change(file, &layout, property, &changed)) {
        avifRWDataFree(&changed);
        return sdcs_fail(error, SDIMAGE_STATUS_ENCODE_FAILED, "avif: layout of the encoded file has no room for clli");
    }
    /* The caller frees the new bytes with avifRWDataFree as well. */
    avifRWDataFree(file);
    *file = changed;
    return SDIMAGE_STATUS_OK;
}
