/* mounts.c: reads the table of mounts (see mounts.h). */
#include "mounts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

static bool is_octal(char digit) {
    return digit >= '0' && digit <= '7';
}

/* Decodes a path in place: the kernel writes spaces, tabs, line ends and backslashes as a backslash and three octal
 * digits. */
static void decode(char *path) {
    char *to = path;
    for (const char *from = path; *from; to++) {
        bool is_code = from[0] == '\\' && is_octal(from[1]) && is_octal(from[2]) && is_octal(from[3]);
        *to = is_code ? (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0')) : *from;
        from += is_code ? 4 : 1;
    }
    *to = 0;
}

char *sdphoto_mount_point(FILE *mounts, dev_t device) {
    char *line = NULL, *found = NULL;
    size_t room = 0;
    while (!found && getline(&line, &room, mounts) > 0) {
        unsigned major, minor;
        int root = 0, folder = 0, end = 0;
        /* Fields: ids of the mount and its parent, device, root inside the file system, mount point. Roots other than
         * "/" are bind mounts or subvolumes. */
        if (sscanf(line, "%*d %*d %u:%u %n%*s %n%*s%n", &major, &minor, &root, &folder, &end) != 2 || !end ||
            makedev(major, minor) != device || strncmp(line + root, "/ ", 2) != 0)
            continue;
        line[end] = 0;
        decode(line + folder);
        found = strdup(strcmp(line + folder, "/") == 0 ? "" : line + folder);
    }
    free(line);
    return found;
}
