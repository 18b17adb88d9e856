/* sdpx_format.h: pixel formats.

   Conventions of the headers in this folder, unless stated otherwise:
   - Functions keep no state of their own, check no arguments, and may be called on any thread.
   - Memory belongs to the caller, and rows have room for the pixels or samples that are passed.
   - Rows that are read and written do not overlap. Samples of 16 bits and floats have their natural alignment.
   - A function that can fail returns 0 for a failure. */
#ifndef SDPX_FORMAT_H
#define SDPX_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/* Pixel formats, numbered as in the model. Samples are in native byte order; float is linear light. The type is an
   integer because Swift passes the raw values of its own enumeration. */
typedef int sdpx_format;
enum {
    SDPX_GRAY8 = 1,
    SDPX_RGB8 = 2,
    SDPX_RGBA8 = 3,
    SDPX_RGBA8_PREMULTIPLIED = 4,
    SDPX_BGRA8_PREMULTIPLIED = 5,
    SDPX_GRAY16 = 6,
    SDPX_RGB16 = 7,
    SDPX_RGBA16 = 8,
    SDPX_RGBA_FLOAT = 9
};

/* Returns the bytes of one pixel; 0 for an unknown format. */
size_t sdpx_pixel_size(sdpx_format format);

#endif
