/* fail.h: errors. */
#ifndef SDCS_FAIL_H
#define SDCS_FAIL_H

#include <sdimage/error.h>

/* Stores an error if the caller passed a pointer for it, and returns its status. The message is copied. A caller
 * without a pointer wants only the status. */
sdimage_status sdcs_fail(sdimage_error **error, sdimage_status status, const char *message);

#endif
