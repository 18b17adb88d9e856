/* isolation.c: the option --isolation: sets the coders that decode in worker processes (see isolation.h). */
#include "isolation.h"

#include <string.h>

#include <sdimage.h>

bool set_isolation(const char *name) {
    static const struct {
        const char *name;
        sdimage_isolation value;
    } names[] = {{"none", SDIMAGE_ISOLATION_NONE}, {"risky", SDIMAGE_ISOLATION_RISKY}, {"all", SDIMAGE_ISOLATION_ALL}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, name))
            continue;
        sdimage_set_isolation(names[i].value);
        /* An explicit choice is kept, or fails. */
        sdimage_set_isolation_fallback(false);
        return true;
    }
    return false;
}

void set_isolation_before_plugins(int argc, char **argv) {
    static const char option[] = "--isolation";
    const size_t length = sizeof option - 1;
    sdimage_set_isolation(SDIMAGE_ISOLATION_RISKY);
    sdimage_set_isolation_fallback(true);
    /* Invalid names are ignored here; parse_arguments reports them. */
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        const char *value = !strcmp(argv[i], option) ? argv[i + 1] : NULL;
        if (!strncmp(argv[i], option, length) && argv[i][length] == '=')
            value = argv[i] + length + 1;
        if (value)
            set_isolation(value);
    }
}
