/* library.c: the table of libheif's functions, filled in once and read without a lock afterwards. libheif stays open
 * until the process ends. */
#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sdimage/sys/coder.h>
#include <string.h>

#include "exit_gate.h"
#include "image.h"

sdheif_library sdheif_lib;
static bool decodes, encodes; /* written once, in open_library */

/* Finds a function by name. The copy avoids a conversion between pointers to data and to functions, which C does not
 * define. */
static bool find(void *library, const char *name, void *destination) {
    void *function = dlsym(library, name);
    memcpy(destination, &function, sizeof function);
    return function != NULL;
}

/* Runs once. Without one of the functions the library counts as missing for decoding or encoding. */
static void open_library(void) {
    /* No library can be opened there; derived.c asks for another worker. */
    if (sdimage_is_sandboxed())
        return;
    void *library = dlopen(SDHEIF_SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    sdcs_exit_gate_open();
    decodes = encodes = true;
#define FIND_DECODING(name) decodes &= find(library, "heif_" #name, &sdheif_lib.name);
#define FIND_ENCODING(name) encodes &= find(library, "heif_" #name, &sdheif_lib.name);
    SDHEIF_DECODING(FIND_DECODING)
    SDHEIF_ENCODING(FIND_ENCODING)
#undef FIND_DECODING
#undef FIND_ENCODING
    encodes = decodes && encodes && sdcs_exit_gate_enter(NULL) >= 0;
    if (!encodes)
        return;
    encodes = sdheif_lib.have_encoder_for_format(heif_compression_HEVC);
    sdcs_exit_gate_leave();
}

bool sdheif_library_open(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    return decodes;
}

bool sdheif_library_encodes(void) {
    return sdheif_library_open() && encodes;
}

sdimage_status sdheif_check(struct heif_error result, sdimage_status failure, sdimage_error **error) {
    switch (result.code) {
    case heif_error_Ok: return SDIMAGE_STATUS_OK;
    case heif_error_Unsupported_filetype:
    case heif_error_Unsupported_feature: return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, result.message);
    case heif_error_Memory_allocation_error:
        return result.subcode == heif_suberror_Security_limit_exceeded
                   ? sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, result.message)
                   : sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, result.message);
    default:
        /* An H.265 encoder that was built without the depth. */
        if (result.subcode == heif_suberror_Unsupported_bit_depth)
            return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, result.message);
        return sdcs_fail(error, result.subcode == heif_suberror_End_of_data ? SDIMAGE_STATUS_TRUNCATED : failure,
                         result.message);
    }
}
