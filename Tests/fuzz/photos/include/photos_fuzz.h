/* photos_fuzz.h: arbitrary bytes for the parsers of the photo library. */
#ifndef SDIMAGE_FUZZ_PHOTOS_H
#define SDIMAGE_FUZZ_PHOTOS_H

#include <stddef.h>
#include <stdint.h>

/* The first byte chooses the reader: EXIF, texts of a thumbnail, URIs, a file header, a Shotwell database, a digiKam
 * database, an index. */
void photos_fuzz(const uint8_t *bytes, size_t length);

#endif
