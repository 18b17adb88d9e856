/* exif.c: the EXIF block of a TIFF file (see exif.h).
 *
 * The tags are scattered over directories of the file. They are collected by reference, then written as one TIFF
 * structure in the byte order of the file, so that values are copied without conversion. */
#include "exif.h"

#include <stdlib.h>
#include <string.h>

#include "ifd.h"

/* Sizes in bytes of the header and of an entry (TIFF 6.0, section 2). */
enum { HEADER = 8, ENTRY = 12 };
/* Tags of the pointers to other directories (TIFF 6.0 supplement 1; EXIF 2.32, 4.6.3). */
enum { SUB_DIRECTORIES = 0x014A, EXIF_DIRECTORY = 0x8769, GPS_DIRECTORY = 0x8825, INTEROPERABILITY_DIRECTORY = 0xA005 };
/* Types of offsets in BigTIFF, and the last type of EXIF 2.32. */
enum { LONG8 = 16, IFD8 = 18, LAST_TYPE = 12 };
/* Limits of the collected entries: their count, the bytes of one value, the bytes of the block. */
enum { MOST_ENTRIES = 256, MOST_VALUE = 1 << 16, MOST_BYTES = SDCS_BLOCK_LIMIT };

/* Tags of the first directory that are copied, in ascending order: those that EXIF 2.32, 4.6.4 and 4.6.5, defines and
 * that do not describe the pixel layout. */
static const uint16_t descriptive[] = {0x010E, 0x010F, 0x0110, 0x0112, 0x011A, 0x011B, 0x0128,
                                       0x0131, 0x0132, 0x013B, 0x013E, 0x013F, 0x8298};

/* An entry to write. */
typedef struct entry {
    uint16_t tag, type;
    uint32_t count;       /* number of values */
    const uint8_t *value; /* in the file; NULL for a pointer, whose offset is `size` */
    size_t size;          /* bytes of the value */
} entry;

/* The entries of one directory, in the order of the file. */
typedef struct directory {
    entry entries[MOST_ENTRIES];
    size_t count;
} directory;

static bool is_descriptive(uint16_t tag) {
    for (size_t i = 0; i < sizeof descriptive / sizeof *descriptive; i++) {
        if (descriptive[i] == tag)
            return true;
    }
    return false;
}

/* Reports that the value of a tag is an offset in the file, which has no meaning in the block. */
static bool is_pointer(uint16_t tag) {
    return tag == SUB_DIRECTORIES || tag == EXIF_DIRECTORY || tag == GPS_DIRECTORY || tag == INTEROPERABILITY_DIRECTORY;
}

/* Copies an entry that an EXIF block can have; false if its value is too large or out of reach. */
static bool take_entry(const sdcs_tiff *file, const sdcs_ifd_entry *read, entry *entry) {
    if (!read->size || read->size > MOST_VALUE || read->type > LAST_TYPE || is_pointer(read->tag))
        return false;
    entry->tag = read->tag, entry->type = read->type, entry->count = (uint32_t)read->count;
    entry->value = file->bytes + read->value, entry->size = read->size;
    return true;
}

/* Collects the entries of the directory at an offset. From the first directory it takes the descriptive tags and the
 * offsets of the Exif and GPS directories. */
static void read_directory(const sdcs_tiff *file, uint64_t at, directory *found, uint64_t *exif, uint64_t *gps) {
    sdcs_ifd_entry read;
    found->count = 0;
    for (uint64_t i = 0; i < MOST_ENTRIES && sdcs_ifd_entry_at(file, at, i, &read); i++) {
        if (exif && (read.tag == EXIF_DIRECTORY || read.tag == GPS_DIRECTORY))
            /* A number of 32 bits, or of 64 in BigTIFF. */
            sdcs_tiff_number(file, read.field, read.type == LONG8 || read.type == IFD8 ? 8 : 4,
                             read.tag == EXIF_DIRECTORY ? exif : gps);
        else if ((!exif || is_descriptive(read.tag)) && take_entry(file, &read, &found->entries[found->count]))
            found->count++;
    }
}

/* --- Writing. */

/* Writes a number of `size` bytes in the byte order of the file. */
static void put(const sdcs_tiff *file, uint8_t *to, size_t size, uint64_t value) {
    for (size_t i = 0; i < size; i++)
        to[file->is_big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

/* Rounds up: values begin at even offsets (TIFF 6.0, section 2). */
static size_t even(size_t size) {
    return size + (size & 1);
}

/* Size of a directory in bytes, with `more` additional entries. */
static size_t size_of(const directory *directory, size_t more) {
    /* The number of entries, the entries, and the offset of a next directory, which stays 0. */
    size_t size = 2 + (directory->count + more) * ENTRY + 4;
    for (size_t i = 0; i < directory->count; i++)
        size += directory->entries[i].size > 4 ? even(directory->entries[i].size) : 0;
    return size;
}

/* Writes a directory. The pointers to other directories follow its own entries, because their tags are higher. Returns
 * the end offset. */
static size_t write_directory(const sdcs_tiff *file, uint8_t *block, size_t at, const directory *directory,
                              const entry *pointers, size_t pointer_count) {
    size_t count = directory->count + pointer_count, value = at + 2 + count * ENTRY + 4;
    put(file, block + at, 2, count);
    for (size_t i = 0; i < count; i++) {
        const entry *entry = i < directory->count ? &directory->entries[i] : &pointers[i - directory->count];
        uint8_t *to = block + at + 2 + i * ENTRY;
        put(file, to, 2, entry->tag);
        put(file, to + 2, 2, entry->type);
        put(file, to + 4, 4, entry->count);
        /* A value of up to four bytes is stored in the entry itself, on the left. */
        if (!entry->value) {
            put(file, to + 8, 4, entry->size);
        } else if (entry->size <= 4) {
            memcpy(to + 8, entry->value, entry->size);
        } else {
            put(file, to + 8, 4, value);
            memcpy(block + value, entry->value, entry->size);
            value += even(entry->size);
        }
    }
    return value;
}

/* The three directories of a file. */
typedef struct parts {
    directory first, exif, gps;
} parts;

/* Writes the header and the three directories one after the other. A block that would be too large is left out. */
static sdimage_status write_block(const sdcs_tiff *file, const parts *parts, sdtiff_block *block,
                                  sdimage_error **error) {
    /* The type of pointers to directories: 32 bits. */
    enum { LONG = 4 };
    /* Offsets: first directory, Exif directory, GPS directory, end. Empty directories are left out. */
    size_t pointers = (parts->exif.count ? 1u : 0u) + (parts->gps.count ? 1u : 0u), used = 0;
    size_t exif = HEADER + size_of(&parts->first, pointers);
    size_t gps = exif + (parts->exif.count ? size_of(&parts->exif, 0) : 0);
    size_t length = gps + (parts->gps.count ? size_of(&parts->gps, 0) : 0);
    if (length > MOST_BYTES)
        return SDIMAGE_STATUS_OK;
    block->bytes = calloc(1, length);
    if (!block->bytes)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "tiff: no memory for a metadata block");
    block->length = length;
    entry others[2];
    if (parts->exif.count)
        others[used++] = (entry){EXIF_DIRECTORY, LONG, 1, NULL, exif};
    if (parts->gps.count)
        others[used++] = (entry){GPS_DIRECTORY, LONG, 1, NULL, gps};
    /* The header: byte order, 42, and the offset of the first directory. */
    memcpy(block->bytes, file->is_big_endian ? "MM" : "II", 2);
    put(file, block->bytes + 2, 2, 42);
    put(file, block->bytes + 4, 4, HEADER);
    write_directory(file, block->bytes, HEADER, &parts->first, others, used);
    if (parts->exif.count)
        write_directory(file, block->bytes, exif, &parts->exif, NULL, 0);
    if (parts->gps.count)
        write_directory(file, block->bytes, gps, &parts->gps, NULL, 0);
    return SDIMAGE_STATUS_OK;
}

sdimage_status sdtiff_exif(const void *bytes, size_t length, sdtiff_block *block, sdimage_error **error) {
    sdcs_tiff file;
    uint64_t exif = 0, gps = 0;
    *block = (sdtiff_block){NULL, 0};
    if (!sdcs_tiff_open(&file, bytes, length))
        return SDIMAGE_STATUS_OK;
    parts *parts = calloc(1, sizeof *parts);
    if (!parts)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "tiff: no memory for a metadata block");
    /* Damaged offsets lead to empty directories. */
    read_directory(&file, sdcs_ifd_first(&file), &parts->first, &exif, &gps);
    /* The pointers were found in the first directory. */
    if (exif)
        read_directory(&file, exif, &parts->exif, NULL, NULL);
    if (gps)
        read_directory(&file, gps, &parts->gps, NULL, NULL);
    sdimage_status status = SDIMAGE_STATUS_OK;
    if (parts->first.count || parts->exif.count || parts->gps.count)
        status = write_block(&file, parts, block, error);
    free(parts);
    return status;
}
