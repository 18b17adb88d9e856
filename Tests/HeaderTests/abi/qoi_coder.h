/* qoi_coder.h: a whole coder on the public headers alone. */
#ifndef SDIMAGE_TESTS_QOI_CODER_H
#define SDIMAGE_TESTS_QOI_CODER_H

#include <sdimage.h>

/* A number for the format, which the library does not know. */
#define QOI_FORMAT ((sdimage_format)1000)

/* Decodes, encodes, tells sizes, and shows pictures while they arrive. Needs no user data. */
extern const sdimage_coder_vtable qoi_table;

#endif
