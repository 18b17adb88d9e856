#include "photos_fuzz.h"

#include <sdimage/plugins/photos.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exif.h"
#include "index.h"
#include "md5.h"
#include "probe.h"
#include "thumbnail.h"
#include "thumbnail_texts.h"
#include "uri.h"

/* A folder in memory if available; each input is a file in it. */
static const char *folder(void) {
    static char path[64];
    if (!*path) {
        snprintf(path, sizeof path, "%s/sdimage-fuzz-%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
                 (int)getpid());
        if (mkdir(path, 0700) != 0)
            abort();
    }
    return path;
}

static void write_file(const char *path, const uint8_t *bytes, size_t length) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0 || write(descriptor, bytes, length) != (ssize_t)length)
        abort();
    close(descriptor);
}

static void read_exif(const uint8_t *bytes, size_t length) {
    sdphoto_exif exif = sdphoto_exif_read(bytes, length);
    volatile uint8_t sum = 0;
    for (size_t i = 0; exif.thumbnail && i < exif.thumbnail_length; i++)
        sum += exif.thumbnail[i];
}

static void read_texts(const uint8_t *bytes, size_t length) {
    char uri[200];
    int64_t seconds = 0;
    if (sdphoto_thumbnail_texts(bytes, length, uri, sizeof uri, &seconds) && strlen(uri) >= sizeof uri)
        abort();
}

static void read_uri(const uint8_t *bytes, size_t length) {
    char *identifier = sdimage_photos_identifier_of_url((const char *)bytes, length),
         *decoded = sdphoto_decoded((const char *)bytes, length);
    char *url = sdimage_photos_url_of_identifier(identifier), *file = decoded ? sdphoto_file_uri(decoded) : NULL;
    char *again = url ? sdimage_photos_identifier_of_url(url, strlen(url)) : NULL;
    /* An identifier survives the round trip through its URL. */
    if (identifier && *identifier && (!again || strcmp(again, identifier) != 0))
        abort();
    free(identifier);
    free(decoded);
    free(url);
    free(file);
    free(again);
}

static void read_head(const uint8_t *bytes, size_t length) {
    sdphoto_info info;
    sdphoto_sniff(bytes, length, &info);
    sdphoto_describe(bytes, length, &info);
}

/* Reads every value of every asset. */
static void use_library(sdimage_photos_library *library) {
    sdimage_photos_list *list = NULL;
    sdimage_photos_library_fetch(library, NULL, &list, NULL);
    for (size_t i = 0; i < sdimage_photos_list_count(list); i++) {
        const sdimage_photos_asset *asset = sdimage_photos_list_asset(list, i);
        char *url = sdimage_photos_url_of_asset(asset);
        free(url);
    }
    sdimage_photos_list_unref(list);
    sdimage_photos_library_unref(library);
}

static void read_database(const uint8_t *bytes, size_t length, bool is_digikam) {
    char path[100];
    sdimage_photos_library *library = NULL;
    snprintf(path, sizeof path, "%s/photo.db", folder());
    write_file(path, bytes, length);
    if ((is_digikam ? sdimage_photos_library_open_digikam : sdimage_photos_library_open_shotwell)(path, &library,
                                                                                                  NULL) >= 0)
        use_library(library);
}

static bool take_record(void *user_data, const sdphoto_record *record) {
    (void)user_data;
    if (strstr(record->path, "../") == record->path || *record->path == '/' || strlen(record->identifier) != 36)
        abort();
    return true;
}

static void read_index(const uint8_t *bytes, size_t length) {
    char path[200], digest[33];
    sdphoto_index index;
    snprintf(path, sizeof path, "%s/v1", folder());
    mkdir(path, 0700);
    sdcs_md5_text("library", 7, digest);
    snprintf(path, sizeof path, "%s/v1/%s-1.db", folder(), digest);
    write_file(path, bytes, length);
    if (sdphoto_index_open(&index, folder(), "library", NULL) >= 0)
        sdphoto_index_load(&index, take_record, NULL);
    unsigned last = index.generation;
    sdphoto_index_close(&index);
    for (unsigned i = 1; i <= last; i++) {
        static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
        for (size_t end = 0; end < sizeof ends / sizeof *ends; end++) {
            snprintf(path, sizeof path, "%s/v1/%s-%u.db%s", folder(), digest, i, ends[end]);
            unlink(path);
        }
    }
}

void photos_fuzz(const uint8_t *bytes, size_t length) {
    if (length == 0)
        return;
    /* Copies to a block of exactly this size, to detect reads past its end. */
    uint8_t *rest = malloc(length - 1 ? length - 1 : 1);
    memcpy(rest, bytes + 1, length - 1);
    switch (bytes[0] % 7) {
    case 0: read_exif(rest, length - 1); break;
    case 1: read_texts(rest, length - 1); break;
    case 2: read_uri(rest, length - 1); break;
    case 3: read_head(rest, length - 1); break;
    case 4: read_database(rest, length - 1, false); break;
    case 5: read_database(rest, length - 1, true); break;
    default: read_index(rest, length - 1);
    }
    free(rest);
}
