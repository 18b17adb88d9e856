/* folders.c: folders by xdg-user-dirs and the XDG Base Directory Specification (see folders.h). */
#include "folders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* Parses a line of user-dirs.dirs: XDG_PICTURES_DIR="$HOME/Pictures", absolute or below the home folder. To be
 * freed. */
static char *pictures_of(const char *line, const char *home) {
    static const char name[] = "XDG_PICTURES_DIR=\"", below[] = "$HOME";
    while (*line == ' ' || *line == '\t')
        line++;
    if (strncmp(line, name, sizeof name - 1) != 0)
        return NULL;
    line += sizeof name - 1;
    /* Other variables are not expanded: xdg-user-dirs writes no others. */
    bool is_below = strncmp(line, below, sizeof below - 1) == 0;
    if (is_below)
        line += sizeof below - 1;
    char *made = *line == '/' || (is_below && *line == '"') ? sdphoto_join(is_below ? home : "", line, NULL) : NULL;
    /* Removes the escapes of the shell in place, up to the closing quotation mark. The home folder has none. */
    char *to = made ? made + (is_below ? strlen(home) : 0) : NULL;
    for (const char *from = to; from && *from && *from != '"'; from++) {
        if (*from == '\\' && from[1])
            from++;
        *to++ = *from;
    }
    if (to)
        *to = 0;
    return made;
}

char *sdphoto_xdg_pictures_folder(void) {
    const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");
    char line[4096], *pictures = NULL;
    if (!home || *home != '/')
        return NULL;
    char *path = config && *config == '/' ? sdphoto_join(config, "/user-dirs.dirs", NULL)
                                          : sdphoto_join(home, "/.config/user-dirs.dirs", NULL);
    FILE *file = path ? fopen(path, "re") : NULL;
    while (file && !pictures && fgets(line, sizeof line, file))
        pictures = pictures_of(line, home);
    if (file)
        fclose(file);
    free(path);
    return pictures ? pictures : sdphoto_join(home, "/Pictures", NULL);
}

char *sdphoto_cache_folder(const char *name) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    /* Relative values are invalid and ignored (XDG Base Directory Specification). */
    if (cache && *cache == '/')
        return sdphoto_join(cache, "/", name);
    if (!home || *home != '/')
        return NULL;
    return sdphoto_join(home, "/.cache/", name);
}

char *sdphoto_resolved_folder(const char *folder) {
    char *start = sdphoto_join(folder, NULL, NULL), *resolved = NULL;
    /* Resolves the longest part of the path that exists. The rest is appended as it is. */
    while (start) {
        char *there = realpath(*start ? start : ".", NULL), *slash = strrchr(start, '/');
        bool is_known = there || errno != ENOENT || !*start;
        if (there)
            resolved = sdphoto_join(there, "/", folder + strlen(start));
        free(there);
        if (is_known)
            break;
        /* Cuts off the last part; "/" stays. */
        *(slash == start && start[1] ? slash + 1 : slash ? slash : start) = 0;
    }
    free(start);
    return resolved;
}
