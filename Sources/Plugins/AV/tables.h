/* tables.h: the number of samples that the tables of an MP4 or QuickTime file announce. */
#ifndef SDAV_TABLES_H
#define SDAV_TABLES_H

#include "movie.h"

/* Refuses files whose tables would take too much memory in libavformat. It makes one entry for each announced sample
 * and checks neither time nor limits meanwhile; a table takes no bytes in the file if all samples have one size. Reads
 * from the start and seeks back to it; skips the fragments of a source. Stores movie->has_many_edits. Errors:
 * TOO_LARGE, UNSUPPORTED (deflated tables), TIMEOUT, those of the source. */
sdimage_status sdav_check_tables(sdav_movie *movie, sdimage_error **error);

#endif
