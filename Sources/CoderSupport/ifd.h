/* ifd.h: the image file directories (IFD) of TIFF 6.0, section 2, and BigTIFF in untrusted bytes: TIFF files and EXIF
 * blocks.
 *
 * Nothing is stored while reading: each call finds its entry in the bytes. */
#ifndef SDCS_IFD_H
#define SDCS_IFD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of values; others are known by their size only. */
enum { SDCS_IFD_ASCII = 2, SDCS_IFD_SHORT = 3, SDCS_IFD_LONG = 4 };

/* The file or block; borrowed. */
typedef struct sdcs_tiff {
    const uint8_t *bytes;
    size_t length;
    bool is_big_endian;
    bool is_bigtiff;
} sdcs_tiff;

/* An entry of a directory; all offsets count from the start of the bytes. */
typedef struct sdcs_ifd_entry {
    uint16_t tag, type; /* `type` is one of the above, or another number */
    uint64_t count;     /* number of values */
    uint64_t field;     /* offset of the value field, which has the value or its offset */
    uint64_t value;     /* offset of the value */
    size_t size;        /* its size in bytes; 0 for an unknown type, no values, or a value outside the bytes */
} sdcs_ifd_entry;

/* Reads the byte order and the kind of file; false if the bytes have no header of either kind. */
bool sdcs_tiff_open(sdcs_tiff *tiff, const void *bytes, size_t length);

/* The same for an EXIF block (EXIF 2.32, 4.5), with or without "Exif" and two NULs before the structure, of which
 * `bytes` is then the start. False also for BigTIFF. */
bool sdcs_tiff_open_exif(sdcs_tiff *tiff, const void *bytes, size_t length);

/* Reads a number of up to 8 bytes; false if it is outside the bytes. */
bool sdcs_tiff_number(const sdcs_tiff *tiff, uint64_t at, size_t size, uint64_t *number);

/* Return the offset of the first directory, and of the one after a directory; 0 for none. */
uint64_t sdcs_ifd_first(const sdcs_tiff *tiff);
uint64_t sdcs_ifd_next(const sdcs_tiff *tiff, uint64_t directory);

/* Reads entry `index` of a directory; false beyond the last one and for one that exceeds the bytes. */
bool sdcs_ifd_entry_at(const sdcs_tiff *tiff, uint64_t directory, uint64_t index, sdcs_ifd_entry *entry);

/* Finds the first of the first 1024 entries with a tag. */
bool sdcs_ifd_find(const sdcs_tiff *tiff, uint64_t directory, uint16_t tag, sdcs_ifd_entry *entry);

/* Returns the first value of an entry of type SHORT or LONG; 0 for none. */
uint32_t sdcs_ifd_number(const sdcs_tiff *tiff, uint64_t directory, uint16_t tag);

#endif
