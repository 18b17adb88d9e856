/* pdf.h: the coder of the plug-in libsdimage-pdf.so.1: PDF, by poppler.
 *
 * poppler is GPL-2 or later: a program that loads this plug-in is under its terms.
 *
 * A page stays drawn from shapes until its size is known: a thumbnail is drawn at its size, larger than the page too,
 * and the image can be drawn again (sdimage_image_is_vector, sdimage_image_render). Its own size is that of the crop
 * box, which is the media box where none is said, at 72 pixels an inch and turned as the page says. Paper is white.
 *
 * poppler can neither be stopped nor held to an amount of memory: at max_work_ms the decode ends with TIMEOUT, and the
 * drawing goes on unseen. While four do so no other is begun: each decode ends with TIMEOUT at once. What strangers
 * send is better drawn in a process of its own. */
#ifndef SDIMAGE_PLUGINS_PDF_H
#define SDIMAGE_PLUGINS_PDF_H

#include "../coder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A coder to be registered, or asked by name. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_pdf_coder_new(sdimage_coder **coder, sdimage_error **error);

/* In the options of a request or of a decode. Pages of one URL are kept apart only by cache keys of their own
 * (sdimage_request_set_cache_key).
 * An int64: the page, counted from 0. Default 0. A page that is not there is INVALID_ARGUMENT. */
#define SDIMAGE_PDF_PAGE "pdf.page"

/* A string: the password of an encrypted document, which is PERMISSION_DENIED without it. */
#define SDIMAGE_PDF_PASSWORD "pdf.password"

/* A bool: the paper is clear in place of white. Default false. */
#define SDIMAGE_PDF_CLEAR "pdf.clear"

/* How many pages there are; 0 for what is no PDF, or encrypted. */
SDIMAGE_API uint32_t sdimage_pdf_page_count(const void *bytes, size_t length);

/* The version of poppler in use, "22.12.0". Static. */
SDIMAGE_API const char *sdimage_pdf_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
