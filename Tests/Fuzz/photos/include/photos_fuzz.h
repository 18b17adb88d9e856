/* photos_fuzz.h: arbitrary bytes for the parsers of the photo library. */
#ifndef SDIMAGE_FUZZ_PHOTOS_H
#define SDIMAGE_FUZZ_PHOTOS_H

#include <stddef.h>
#include <stdint.h>

/* The first byte chooses: EXIF, texts of a thumbnail, URIs, a file's head, a database of Shotwell, of digiKam, an
 * index. */
void photos_fuzz(const uint8_t *bytes, size_t length);

#endif
