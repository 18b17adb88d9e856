/* tables.h: how many samples the tables of an MP4 or QuickTime file announce. */
#ifndef SDAV_TABLES_H
#define SDAV_TABLES_H

#include "movie.h"

/* Refuses files whose tables libavformat would blow up: it makes an entry for each sample that is announced, of which a
 * table takes no bytes where all are of one size, and neither looks at the time nor at a limit meanwhile. Reads from
 * the start, and goes back to it; the fragments of a source are left unread. Errors: TOO_LARGE, UNSUPPORTED (tables
 * that are deflated), TIMEOUT, those of the source. */
sdimage_status sdav_check_tables(sdav_movie *movie, sdimage_error **error);

#endif
