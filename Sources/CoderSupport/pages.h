/* pages.h: the number of pages of a document.
 *
 * It is read like header information, by the coder that decodes the document: in a worker process if that coder is
 * isolated (isolation.h), and within the time limit of a decode. */
#ifndef SDCS_PAGES_H
#define SDCS_PAGES_H

#include <sdimage/sys/coder.h>

/* Returns the number of pages of a document in this format; 0 if its coder is not that of the plug-in, which replies
 * without a size. */
uint32_t sdcs_page_count(const void *bytes, size_t length, sdimage_format format);

/* --- For the coder's `describe`. */

/* Returns true for a call by sdcs_page_count, which wants sdcs_describe_pages only. */
bool sdcs_counts_pages(const sdimage_decode_options *options);

/* Stores the number of pages as that of frames. Errors: BAD_DATA for a count of 0. */
sdimage_status sdcs_describe_pages(sdimage_format format, uint32_t count, sdimage_metadata *metadata,
                                   sdimage_error **error);

#endif
