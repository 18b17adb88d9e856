/* qoi_coder.h: a complete coder that uses only the public headers. */
#ifndef SDIMAGE_TESTS_QOI_CODER_H
#define SDIMAGE_TESTS_QOI_CODER_H

#include <sdimage.h>
#include <sdimage/sys.h>

/* A number for the format, which the library does not define. */
#define QOI_FORMAT ((sdimage_format)1000)

/* Decodes, encodes, reports sizes, and decodes progressively. Needs no user data. */
extern const sdimage_coder_vtable qoi_table;

#endif
