/* files.h: kept files and the other descriptors of a sandbox; internal to this folder. */
#ifndef CISO_INTERNAL_FILES_H
#define CISO_INTERNAL_FILES_H

#include <stdbool.h>

/* Reports that a file is kept and exists. */
bool ciso_keeps_file(const char *path);

/* Closes all descriptors but 0 to CISO_SOCKET and those of kept files. Returns 0 or errno. */
int ciso_close_others(void);

/* Installs the handler of SIGSYS, which opens kept files. Must precede the filter, whose traps would end the process.
   Returns 0 or errno. */
int ciso_handle_trapped_calls(void);

#endif
