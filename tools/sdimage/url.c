/* url.c: URLs as arguments and as text (see url.h). */
#include "url.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

bool is_url(const char *text) {
    return strstr(text, "://") || !strncmp(text, "data:", 5) || !strncmp(text, "file:", 5);
}

char *url_of_file(const char *path) {
    char *absolute = realpath(path, NULL);
    char *url = absolute ? malloc(strlen(absolute) * 3 + sizeof "file://") : NULL;
    if (!url) {
        /* free may change errno. */
        int problem = errno;
        free(absolute);
        errno = problem;
        return NULL;
    }
    char *out = url + sprintf(url, "file://");
    for (const unsigned char *byte = (unsigned char *)absolute; *byte; byte++) {
        bool is_plain = (*byte < 0x80 && isalnum(*byte)) || strchr("/-._~", *byte);
        out += sprintf(out, is_plain ? "%c" : "%%%02X", *byte);
    }
    free(absolute);
    return url;
}

sdimage_error *error_of_file(const char *path) {
    if (errno == ENOENT && is_url(path))
        return sdimage_error_new(SDIMAGE_STATUS_NOT_FOUND, "this command reads files; sdimage get -o loads a URL");
    return error_of_errno(errno);
}

void shorten_url(const char *url, char *text, size_t size) {
    const char *comma = strncmp(url, "data:", 5) ? NULL : strchr(url, ',');
    if (comma)
        snprintf(text, size, "%.*s,...", (int)(comma - url), url);
    else
        snprintf(text, size, "%s", url);
}
