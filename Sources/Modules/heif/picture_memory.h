/* picture_memory.h: the memory of the pictures that libde265 decodes: zeroed, limited, and marked, so that blocks that
 * no slice has written are found. */
#ifndef SDHEIF_PICTURE_MEMORY_H
#define SDHEIF_PICTURE_MEMORY_H

#include <libde265/de265.h>
#include <stdbool.h>
#include <stdint.h>

/* Replaces the default allocation of libde265 for the process, once. Version 1.0.11 computes sizes with 32 bits and
 * leaves the memory uninitialized, and decoders use it even if they have other functions: for the pictures of streams
 * with sample adaptive offset. Thread-safe. */
void sdheif_replace_picture_memory(void);

/* Has the pictures of a decoder marked for sdheif_is_complete, and limits their number. Must be called before its first
 * unit, on the thread that decodes. */
void sdheif_mark_pictures(de265_decoder_context *decoder);

/* Reports that memory was refused to the marked decoder of this thread for a further picture: libde265 makes one for
 * each reference that is missing. */
bool sdheif_has_too_many_pictures(void);

/* Reports that each block of a picture was decoded. libde265 does not report missing slices. */
bool sdheif_is_complete(const struct de265_image *picture);

/* Limit the pictures of decoders that are not marked, which are those of libheif, to this number of pixels between the
 * two calls. The calls may overlap in several threads. */
enum { SDHEIF_MOST_PIXELS = 128 << 20 };
void sdheif_begin_limit(void);
void sdheif_end_limit(void);

#endif
