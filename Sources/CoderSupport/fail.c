#include "fail.h"

sdimage_status sdcs_fail(sdimage_error **error, sdimage_status status, const char *message) {
    if (error)
        *error = sdimage_error_new(status, message);
    return status;
}
