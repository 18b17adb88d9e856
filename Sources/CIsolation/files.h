/* files.h: kept files and the other descriptors of a sandbox; internal to this folder. */
#ifndef CISO_INTERNAL_FILES_H
#define CISO_INTERNAL_FILES_H

#include <stdbool.h>

/* Tells if a file is kept. */
bool ciso_keeps_file(const char *path);

/* Closes all descriptors but 0 to CISO_SOCKET and those of kept files. */
int ciso_close_others(void);

/* Installs the handler of SIGSYS, which opens kept files. */
int ciso_handle_trapped_calls(void);

#endif
