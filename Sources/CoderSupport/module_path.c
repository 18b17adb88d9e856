#include "module_path.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

/* The path of this file, never freed; NULL if it is unknown. Each module and plug-in has a copy of this code, so the
 * address is in its own file. */
static const char *path;

/* Finds the path. It is made absolute: the file may have been opened by a relative name, and a worker process opens it
 * by this path. */
static void find_path(void) {
    Dl_info info;
    if (dladdr((const void *)&path, &info) && info.dli_fname)
        path = realpath(info.dli_fname, NULL);
}

const char *sdcs_module_path(void *user_data) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)user_data;
    pthread_once(&once, find_path);
    return path;
}
