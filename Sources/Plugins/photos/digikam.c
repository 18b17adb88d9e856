/* digikam.c: the tables of digiKam (core/data/database/dbconfig.xml, versions 5 (1.0) to 16), read through database.h.
 *
 * Album roots come first, because the path of an image begins with one; then images, then the tags, which are albums of
 * the images. Identifiers are "digikam/" and the number of the image. Functions that take a row return false only if
 * memory is exhausted or a limit is exceeded; rows that are no photos are skipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "database.h"
#include "fail.h"
#include "folders.h"
#include "mounts.h"
#include "support.h"
#include "uri.h"

/* Versions of the tables that this file knows. */
enum { DIGIKAM_FIRST = 5, DIGIKAM_LAST = 16 };

/* Limit of album roots: each image is searched among them. */
enum { ROOT_LIMIT = 256 };

/* Returns the mount point of the file system with a UUID, to be freed. It finds the device by name and the mount point
 * by device number. */
static char *mount_of(const char *uuid) {
    char link[128];
    struct stat device;
    /* The text comes from the file: it must stay a name in one folder. */
    if (strlen(uuid) > 64 || strchr(uuid, '/'))
        return NULL;
    snprintf(link, sizeof link, "/dev/disk/by-uuid/%s", uuid);
    FILE *mounts = stat(link, &device) == 0 ? fopen("/proc/self/mountinfo", "re") : NULL;
    char *found = mounts ? sdphoto_mount_point(mounts, device.st_rdev) : NULL;
    if (mounts)
        fclose(mounts);
    return found;
}

/* Converts "volumeid:?path=%2Fhome%2Fa", "volumeid:?uuid=…" and "networkshareid:?mountpath=…" to a folder, to be freed;
 * NULL for others. */
static char *root_of(const char *identifier, const char *below) {
    const char *query = strchr(identifier, '?'), *equals = query ? strchr(query, '=') : NULL;
    if (!equals)
        return NULL;
    /* Percent-encoded, up to the next parameter. */
    char *value = sdphoto_decoded(equals + 1, strcspn(equals + 1, "&"));
    size_t name = (size_t)(equals - query - 1);
    bool is_uuid = name == 4 && memcmp(query + 1, "uuid", 4) == 0;
    char *folder = value && is_uuid ? mount_of(value) : value && *value == '/' ? sdphoto_join(value, NULL, NULL) : NULL;
    free(value);
    char *root = folder ? sdphoto_join(folder, strcmp(below, "/") == 0 ? "" : below, NULL) : NULL;
    free(folder);
    return root;
}

/* Columns: id, identifier, specificPath. */
static bool take_root(sdphoto_reading *reading, sqlite3_stmt *row) {
    /* Images of further roots are skipped. */
    if (reading->root_count == ROOT_LIMIT)
        return true;
    char *root = root_of(sdphoto_row_text(row, 1), sdphoto_row_text(row, 2));
    if (!root)
        return true;
    if (!sdphoto_grow(&reading->roots, reading->root_count, &reading->root_capacity, sizeof *reading->roots) ||
        !sdphoto_grow(&reading->root_numbers, reading->root_count, &reading->number_capacity,
                      sizeof *reading->root_numbers)) {
        free(root);
        return false;
    }
    reading->root_numbers[reading->root_count] = sqlite3_column_int64(row, 0);
    reading->roots[reading->root_count++] = root;
    return true;
}

/* Parses "2024-05-01T12:34:56.789", in the machine's time zone. */
static bool date_of(const char *iso, int64_t *nanoseconds) {
    struct tm date = {.tm_isdst = -1};
    const char *rest = strptime(iso, "%Y-%m-%dT%H:%M:%S", &date);
    if (!rest)
        return false;
    /* The fraction of the second is left out. */
    *nanoseconds = sdphoto_seconds((int64_t)mktime(&date));
    return true;
}

/* Columns: id, albumRoot, relativePath, name, category, width, height, orientation, creationDate, rating. */
static bool take_image(sdphoto_reading *reading, sqlite3_stmt *row) {
    const char *root = NULL, *album = sdphoto_row_text(row, 2), *name = sdphoto_row_text(row, 3);
    int64_t category = sqlite3_column_int64(row, 4);
    for (size_t i = 0; i < reading->root_count && !root; i++)
        if (reading->root_numbers[i] == sqlite3_column_int64(row, 1))
            root = reading->roots[i];
    /* Images of unknown roots, such as a drive that is not connected, are skipped. */
    if (!root || !*name || strchr(name, '/') || category < 1 || category > 3)
        return true;
    char identifier[64], *folder = sdphoto_join(root, strcmp(album, "/") == 0 ? "" : album, "/");
    char *path = folder ? sdphoto_join(folder, name, NULL) : NULL;
    snprintf(identifier, sizeof identifier, "digikam/%lld", (long long)sqlite3_column_int64(row, 0));
    sdimage_photos_asset *asset =
        path && sdphoto_keeps_text(reading, path) ? sdphoto_asset_new(identifier, path, name) : NULL;
    free(folder);
    free(path);
    if (!asset)
        return false;
    /* Categories: 1 image, 2 video, 3 audio; the media bits are 1, 2, 4. */
    asset->info.media = (sdimage_photos_media)(1 << (category - 1));
    asset->info.orientation = sdphoto_orientation_of(sqlite3_column_int64(row, 7));
    asset->info.size =
        sdphoto_displayed_size(sdphoto_row_side(row, 5), sdphoto_row_side(row, 6), asset->info.orientation);
    asset->info.has_date = date_of(sdphoto_row_text(row, 8), &asset->info.taken_ns);
    asset->rating = sqlite3_column_type(row, 9) == SQLITE_NULL ? 0 : sqlite3_column_int(row, 9);
    /* -1 is "no rating" in digiKam. */
    if (asset->rating < 0 || asset->rating > 5)
        asset->rating = 0;
    sdphoto_set_type(&asset->info, asset->name);
    /* The album is the folder below the root, without the slash at its beginning. */
    bool has_memory =
        sdphoto_keeps_text(reading, album) && sdphoto_asset_add_album(asset, *album == '/' ? album + 1 : album);
    if (has_memory && sdphoto_stat_file(asset))
        return sdphoto_assets_add(reading->assets, asset);
    sdimage_photos_asset_unref(asset);
    return has_memory;
}

/* Columns: imageid, path of the tag. */
static bool take_image_tag(sdphoto_reading *reading, sqlite3_stmt *row) {
    char identifier[64];
    snprintf(identifier, sizeof identifier, "digikam/%lld", (long long)sqlite3_column_int64(row, 0));
    sdimage_photos_asset *asset = sdphoto_map_find(reading->assets, identifier, strlen(identifier));
    const char *tag = sdphoto_row_text(row, 1);
    return !asset || !*tag || (sdphoto_keeps_text(reading, tag) && sdphoto_asset_add_album(asset, tag));
}

/* Reads all tables: the sdphoto_read_fn of digiKam. Status 1 of an image is "visible". Identifiers are unique in a
 * valid database; otherwise the rows of one would multiply, and for each its file is looked for. */
static sdimage_status read_digikam(sdphoto_reading *reading, sqlite3 *connection, sdimage_error **error) {
    static const char images[] =
        "SELECT i.id, a.albumRoot, a.relativePath, i.name, i.category, n.width, n.height, n.orientation,"
        " n.creationDate, n.rating FROM Images i JOIN Albums a ON a.id = i.album LEFT JOIN ImageInformation n ON "
        "n.imageid = i.id"
        " WHERE i.status = 1 GROUP BY i.id";
    /* Tag names from the root on; at most 16 levels deep, 1,024 characters long and 200,000 in number, whatever the
     * table contains. digiKam's internal notes are below "_Digikam_Internal_Tags_". */
    static const char tags[] =
        "WITH RECURSIVE named(id, path, depth) AS (SELECT id, substr(name, 1, 1024), 1 FROM Tags WHERE pid = 0 AND "
        "name NOT LIKE"
        " '\\_Digikam%' ESCAPE '\\' UNION SELECT t.id, substr(named.path || '/' || t.name, 1, 1024), depth + 1 FROM "
        "Tags t JOIN named ON"
        " t.pid = named.id WHERE depth < 16 LIMIT 200000) SELECT it.imageid, named.path FROM ImageTags it JOIN named ON"
        " named.id = it.tagid";
    /* The version first: the other queries depend on it. */
    sdimage_status status = sdphoto_each_row(connection, "SELECT value FROM Settings WHERE keyword = 'DBVersion'",
                                             sdphoto_take_number, reading, error);
    if (status >= 0 && (reading->number < DIGIKAM_FIRST || reading->number > DIGIKAM_LAST))
        status = sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "photos: database has an unknown version");
    if (status >= 0)
        status = sdphoto_each_row(connection, "SELECT id, identifier, specificPath FROM AlbumRoots", take_root, reading,
                                  error);
    if (status >= 0)
        status = sdphoto_each_row(connection, images, take_image, reading, error);
    if (status >= 0)
        status = sdphoto_each_row(connection, tags, take_image_tag, reading, error);
    for (size_t i = 0; i < reading->root_count; i++)
        free(reading->roots[i]);
    free(reading->roots);
    free(reading->root_numbers);
    return status;
}

/* Blocks: reads the whole database. */
sdimage_status sdimage_photos_library_open_digikam(const char *path, sdimage_photos_library **library,
                                                   sdimage_error **error) {
    if (!library)
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "photos: result pointer is NULL");
    char *pictures = path ? NULL : sdphoto_xdg_pictures_folder();
    char *wanted = path ? sdphoto_real_path(path) : pictures ? sdphoto_join(pictures, "/digikam4.db", NULL) : NULL;
    free(pictures);
    return sdphoto_database_open("digikam", wanted, read_digikam, library, error);
}
