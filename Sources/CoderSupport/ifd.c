/* ifd.c: directories as they are in the bytes. A directory is known by its offset, 0 for none, and may be anywhere:
 * each access is checked against the length. The caller limits the number of directories, which may be linked in a
 * circle.
 *
 * An entry has a tag, a type, the number of values, and a field. The field has the values themselves or, if they do
 * not fit, their offset. */
#include "ifd.h"

#include <string.h>

/* Bytes of the header of TIFF, with which that of BigTIFF begins too; entries that sdcs_ifd_find examines. */
enum { HEADER_BYTES = 8, ENTRY_LIMIT = 1024 };

/* Sizes of the parts of a directory: its count, an entry, and offsets, which are as long as counts of values. */
typedef struct layout {
    size_t count, entry, offset;
} layout;

/* Returns the sizes for the kind of file. */
static layout layout_of(const sdcs_tiff *tiff) {
    return tiff->is_bigtiff ? (layout){8, 20, 8} : (layout){2, 12, 4};
}

/* Returns the size of a value by its type: TIFF 6.0, and LONG8, SLONG8 and IFD8 of BigTIFF. */
static size_t size_of_type(uint64_t type) {
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
    return type < sizeof sizes ? sizes[type] : 0;
}

bool sdcs_tiff_open(sdcs_tiff *tiff, const void *bytes, size_t length) {
    uint64_t mark = 0;
    *tiff = (sdcs_tiff){bytes, length, false, false};
    if (length < HEADER_BYTES || (memcmp(bytes, "II", 2) != 0 && memcmp(bytes, "MM", 2) != 0))
        return false;
    tiff->is_big_endian = tiff->bytes[0] == 'M';
    sdcs_tiff_number(tiff, 2, 2, &mark);
    /* After the byte order: 42 for TIFF, 43 for BigTIFF. */
    tiff->is_bigtiff = mark == 43;
    return mark == 42 || mark == 43;
}

bool sdcs_tiff_open_exif(sdcs_tiff *tiff, const void *bytes, size_t length) {
    static const char prefix[6] = "Exif\0";
    size_t skip = length >= sizeof prefix && memcmp(bytes, prefix, sizeof prefix) == 0 ? sizeof prefix : 0;
    return sdcs_tiff_open(tiff, (const uint8_t *)bytes + skip, length - skip) && !tiff->is_bigtiff;
}

bool sdcs_tiff_number(const sdcs_tiff *tiff, uint64_t at, size_t size, uint64_t *number) {
    if (at > tiff->length || tiff->length - at < size)
        return false;
    *number = 0;
    for (size_t i = 0; i < size; i++)
        *number = *number << 8 | tiff->bytes[at + (tiff->is_big_endian ? i : size - 1 - i)];
    return true;
}

uint64_t sdcs_ifd_first(const sdcs_tiff *tiff) {
    /* The offset is at 4 in TIFF and at 8 in BigTIFF: at its own size. */
    size_t size = layout_of(tiff).offset;
    uint64_t offset = 0;
    sdcs_tiff_number(tiff, size, size, &offset);
    return offset;
}

/* Returns the number of entries that the bytes contain as a whole. A count that exceeds them is reduced. */
static uint64_t count_entries(const sdcs_tiff *tiff, uint64_t directory) {
    layout layout = layout_of(tiff);
    uint64_t count;
    if (!sdcs_tiff_number(tiff, directory, layout.count, &count))
        return 0;
    uint64_t room = (tiff->length - directory - layout.count) / layout.entry;
    return count < room ? count : room;
}

uint64_t sdcs_ifd_next(const sdcs_tiff *tiff, uint64_t directory) {
    layout layout = layout_of(tiff);
    uint64_t count, offset = 0;
    /* A directory that is cut off has no successor. */
    if (directory && sdcs_tiff_number(tiff, directory, layout.count, &count) && count == count_entries(tiff, directory))
        sdcs_tiff_number(tiff, directory + layout.count + count * layout.entry, layout.offset, &offset);
    return offset;
}

/* Reads the entry at an offset, which the bytes contain: tag, type, count, and the value or its offset. */
static void read_entry(const sdcs_tiff *tiff, uint64_t at, sdcs_ifd_entry *entry) {
    size_t word = layout_of(tiff).offset;
    uint64_t tag = 0, type = 0, size;
    *entry = (sdcs_ifd_entry){.field = at + 4 + word, .value = at + 4 + word};
    sdcs_tiff_number(tiff, at, 2, &tag);
    sdcs_tiff_number(tiff, at + 2, 2, &type);
    sdcs_tiff_number(tiff, at + 4, word, &entry->count);
    entry->tag = (uint16_t)tag, entry->type = (uint16_t)type;
    if (__builtin_mul_overflow(entry->count, (uint64_t)size_of_type(type), &size))
        return;
    /* Values that fit are in the entry itself. */
    if (size > word)
        sdcs_tiff_number(tiff, entry->field, word, &entry->value);
    if (entry->value <= tiff->length && tiff->length - entry->value >= size)
        entry->size = (size_t)size;
}

bool sdcs_ifd_entry_at(const sdcs_tiff *tiff, uint64_t directory, uint64_t index, sdcs_ifd_entry *entry) {
    layout layout = layout_of(tiff);
    if (!directory || index >= count_entries(tiff, directory))
        return false;
    read_entry(tiff, directory + layout.count + index * layout.entry, entry);
    return true;
}

/* Entries should be sorted by tag, which untrusted files need not do: the search is linear, and limited. */
bool sdcs_ifd_find(const sdcs_tiff *tiff, uint64_t directory, uint16_t tag, sdcs_ifd_entry *entry) {
    layout layout = layout_of(tiff);
    uint64_t count = directory ? count_entries(tiff, directory) : 0, at = directory + layout.count, found;
    for (uint64_t i = 0; i < count && i < ENTRY_LIMIT; i++, at += layout.entry) {
        if (sdcs_tiff_number(tiff, at, 2, &found) && found == tag) {
            read_entry(tiff, at, entry);
            return true;
        }
    }
    return false;
}

uint32_t sdcs_ifd_number(const sdcs_tiff *tiff, uint64_t directory, uint16_t tag) {
    sdcs_ifd_entry entry;
    uint64_t number = 0;
    if (sdcs_ifd_find(tiff, directory, tag, &entry) && entry.size &&
        (entry.type == SDCS_IFD_SHORT || entry.type == SDCS_IFD_LONG))
        sdcs_tiff_number(tiff, entry.value, entry.type == SDCS_IFD_SHORT ? 2 : 4, &number);
    return (uint32_t)number;
}
