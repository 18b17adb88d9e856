/* pdf.h: the coder of the plug-in libsdimage-pdf.so.1: PDF, by poppler.
 *
 * poppler is GPL-2 or later: its terms apply to a program that loads this plug-in.
 *
 * A page is a vector image until its size is known: a thumbnail is drawn at its own size, also larger than the page,
 * and the image can be drawn again (sdimage_image_is_vector, sdimage_image_render). The size of a page is that of its
 * crop box, or of the media box if there is none. It has 72 pixels per inch and the rotation of the page. Paper is
 * white.
 *
 * poppler can neither be stopped nor be limited in memory: at max_work_ms the decode ends with TIMEOUT, and the drawing
 * continues without effect. While four drawings do so, further decodes end with TIMEOUT after 500 ms. Documents from
 * untrusted sources should be drawn in a process of their own. */
#ifndef SDIMAGE_PLUGINS_PDF_H
#define SDIMAGE_PLUGINS_PDF_H

#include "../coder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the coder, to be registered or used by name. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_pdf_coder_new(sdimage_coder **coder, sdimage_error **error);

/* Option of a request or a decode, an int64: the page, counted from 0. Default 0. A page that does not exist is
 * INVALID_ARGUMENT. Pages of the same URL need cache keys of their own (sdimage_request_set_cache_key). */
#define SDIMAGE_PDF_PAGE "pdf.page"

/* Option of a request or a decode, a string: the password of an encrypted document, which is PERMISSION_DENIED without
 * it. */
#define SDIMAGE_PDF_PASSWORD "pdf.password"

/* Option of a request or a decode, a bool: the paper is transparent instead of white. Default false. */
#define SDIMAGE_PDF_CLEAR "pdf.clear"

/* Number of pages, at most 1,048,576; 0 if the bytes are damaged, encrypted or no PDF, or another coder or none is
 * registered for them. Read like header information (sdimage_info_new), also in its time limit, and in a worker process
 * if the process has isolation (isolation.h). */
SDIMAGE_API uint32_t sdimage_pdf_page_count(const void *bytes, size_t length);

/* Version of poppler in use, "22.12.0". Static. */
SDIMAGE_API const char *sdimage_pdf_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
