/* fonts.c: fonts of the system for the sandbox. A worker that draws text calls it before ciso_enter. libfontconfig
   lists the fonts; in the sandbox, the drawing library opens them through files.c. */
#define _GNU_SOURCE
#include "ciso_fonts.h"
#include "ciso_files.h"
#include "files.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

/* The functions of libfontconfig (https://www.freedesktop.org/software/fontconfig/fontconfig-devel/) that are called
   here; structures are not used but for the beginning of FcFontSet, which is part of its interface. */
struct font_set {
    int count, capacity;
    void **patterns;
};

#define SYSTEM_FONTS 0 /* FcSetSystem */

int ciso_keep_fonts(void) {
    /* Opened by the drawing library before; without one there are no fonts to keep. */
    void *library = dlopen("libfontconfig.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (library == NULL)
        return 0;
    int (*initialize)(void), (*set_rescan_interval)(void *, int),
        (*get_string)(void *, const char *, int, unsigned char **);
    struct font_set *(*get_fonts)(void *, int);
    /* The assignment through a pointer avoids a conversion that C does not define. */
    *(void **)&initialize = dlsym(library, "FcInit");
    *(void **)&set_rescan_interval = dlsym(library, "FcConfigSetRescanInterval");
    *(void **)&get_fonts = dlsym(library, "FcConfigGetFonts");
    *(void **)&get_string = dlsym(library, "FcPatternGetString");
    if (initialize == NULL || set_rescan_interval == NULL || get_fonts == NULL || get_string == NULL || !initialize())
        return ENOSYS;
    /* It would look for changed files. */
    set_rescan_interval(NULL, 0);
    const struct font_set *fonts = get_fonts(NULL, SYSTEM_FONTS);
    int error = 0;
    for (int i = 0; fonts != NULL && i < fonts->count && error != ENOSPC; i++) {
        unsigned char *path = NULL;
        if (get_string(fonts->patterns[i], "file", 0, &path) == 0 && path != NULL &&
            !ciso_keeps_file((const char *)path))
            error = ciso_keep_file((const char *)path);
    }
    return error == ENOSPC ? error : 0;
}
