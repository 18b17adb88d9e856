/* shotwell.c: the tables of Shotwell (src/db/DatabaseTable.vala, schemas 15 (0.13) to 24), read through database.h.
 *
 * Photos and videos come first, then tags, which list their items. Events and tags are albums. Identifiers are
 * "shotwell/photo/" or "shotwell/video/" and the number of the row. Functions that take a row return false only if
 * memory is exhausted or a limit is exceeded; rows that are no photos are skipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "fail.h"
#include "support.h"

/* Schemas that this file knows. */
enum { SHOTWELL_FIRST = 15, SHOTWELL_LAST = 24 };

/* Returns the last part of a path. */
static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Columns: id, filename, width, height, orientation, exposure time, rating, event; the orientation of a video is 1. */
static bool take_shotwell(sdphoto_reading *reading, sqlite3_stmt *row, sdimage_photos_media media) {
    char identifier[64];
    const char *path = sdphoto_row_text(row, 1);
    /* Shotwell stores absolute paths. */
    if (*path != '/')
        return true;
    snprintf(identifier, sizeof identifier, "shotwell/%s/%lld", media == SDIMAGE_PHOTOS_MEDIA_IMAGE ? "photo" : "video",
             (long long)sqlite3_column_int64(row, 0));
    sdimage_photos_asset *asset =
        sdphoto_keeps_text(reading, path) ? sdphoto_asset_new(identifier, path, name_of(path)) : NULL;
    if (!asset)
        return false;
    asset->info.media = media;
    asset->info.orientation = sdphoto_orientation_of(sqlite3_column_int64(row, 4));
    asset->info.size =
        sdphoto_displayed_size(sdphoto_row_side(row, 2), sdphoto_row_side(row, 3), asset->info.orientation);
    asset->info.has_date = sqlite3_column_int64(row, 5) > 0;
    asset->info.taken_ns = sdphoto_seconds(sqlite3_column_int64(row, 5));
    asset->rating = sqlite3_column_int(row, 6);
    /* -1 is "rejected" in Shotwell, too. */
    if (asset->rating < -1 || asset->rating > 5)
        asset->rating = 0;
    sdphoto_set_type(&asset->info, asset->name);
    /* Photos without an event have no such album. */
    bool has_memory = !*sdphoto_row_text(row, 7) || (sdphoto_keeps_text(reading, sdphoto_row_text(row, 7)) &&
                                                     sdphoto_asset_add_album(asset, sdphoto_row_text(row, 7)));
    if (has_memory && sdphoto_stat_file(asset))
        return sdphoto_assets_add(reading->assets, asset);
    sdimage_photos_asset_unref(asset);
    return has_memory;
}

/* Rows of photos and of videos: both queries have the same columns. */
static bool take_photo(sdphoto_reading *reading, sqlite3_stmt *row) {
    return take_shotwell(reading, row, SDIMAGE_PHOTOS_MEDIA_IMAGE);
}

static bool take_video(sdphoto_reading *reading, sqlite3_stmt *row) {
    return take_shotwell(reading, row, SDIMAGE_PHOTOS_MEDIA_VIDEO);
}

/* Columns: a tag and the list of its items: "thumb00000000000000a1,video-00000000000000b2,", with hexadecimal
 * numbers. */
static bool take_tag(sdphoto_reading *reading, sqlite3_stmt *row) {
    const char *name = sdphoto_row_text(row, 0), *at = sdphoto_row_text(row, 1);
    /* Lists are not stored, but several rows of a hostile file may share one. */
    if (!sdphoto_keeps_text(reading, at))
        return false;
    /* Nested tags begin with "/". */
    name += *name == '/';
    for (; *name && *at; at += *at == ',') {
        size_t length = strcspn(at, ",");
        bool is_video = strncmp(at, "video-", 6) == 0, is_photo = strncmp(at, "thumb", 5) == 0;
        char identifier[64], digits[24] = "", *end;
        size_t skip = is_video ? 6 : 5;
        /* Other items, and numbers that are too long, are skipped. */
        if ((is_video || is_photo) && length > skip && length - skip < sizeof digits) {
            memcpy(digits, at + skip, length - skip);
            unsigned long long number = strtoull(digits, &end, 16);
            snprintf(identifier, sizeof identifier, "shotwell/%s/%llu", is_video ? "video" : "photo", number);
            sdimage_photos_asset *asset =
                *end ? NULL : sdphoto_map_find(reading->assets, identifier, strlen(identifier));
            if (asset && (!sdphoto_keeps_text(reading, name) || !sdphoto_asset_add_album(asset, name)))
                return false;
        }
        at += length;
    }
    return true;
}

/* Reports that a table exists. Databases without videos or tags may lack theirs. */
static bool has_table(sqlite3 *connection, const char *name) {
    sqlite3_stmt *row = NULL;
    bool is_there = sqlite3_prepare_v2(connection, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", -1,
                                       &row, NULL) == SQLITE_OK &&
                    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW;
    sqlite3_finalize(row);
    return is_there;
}

/* Flags of photos: 1 hidden, 4 trash, 8 missing; of videos: 1 trash, 2 missing (LibraryPhoto and Video of Shotwell).
 * Rows of one identifier, which a valid database does not have, are read once: events of one number would multiply
 * them. */
static sdimage_status read_shotwell(sdphoto_reading *reading, sqlite3 *connection, sdimage_error **error) {
    static const char photos[] =
        "SELECT p.id, p.filename, p.width, p.height, p.orientation, p.exposure_time, p.rating, e.name FROM PhotoTable p"
        " LEFT JOIN EventTable e ON e.id = p.event_id WHERE p.flags & 13 = 0 GROUP BY p.id";
    static const char videos[] =
        "SELECT v.id, v.filename, v.width, v.height, 1, v.exposure_time, v.rating, e.name FROM VideoTable v"
        " LEFT JOIN EventTable e ON e.id = v.event_id WHERE v.flags & 3 = 0 GROUP BY v.id";
    sdimage_status status = sdphoto_each_row(connection, "SELECT schema_version FROM VersionTable LIMIT 1",
                                             sdphoto_take_number, reading, error);
    if (status >= 0 && (reading->number < SHOTWELL_FIRST || reading->number > SHOTWELL_LAST))
        status = sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "photos: database has an unknown version");
    if (status >= 0)
        status = sdphoto_each_row(connection, photos, take_photo, reading, error);
    if (status >= 0 && has_table(connection, "VideoTable"))
        status = sdphoto_each_row(connection, videos, take_video, reading, error);
    if (status >= 0 && has_table(connection, "TagTable"))
        status = sdphoto_each_row(connection, "SELECT name, photo_id_list FROM TagTable", take_tag, reading, error);
    return status;
}

/* Blocks: reads the whole database. */
sdimage_status sdimage_photos_library_open_shotwell(const char *path, sdimage_photos_library **library,
                                                    sdimage_error **error) {
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (!library)
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "photos: result pointer is NULL");
    char *wanted = path                   ? sdphoto_real_path(path)
                   : data && *data == '/' ? sdphoto_join(data, "/shotwell/data/photo.db", NULL)
                   : home && *home == '/' ? sdphoto_join(home, "/.local/share/shotwell/data/photo.db", NULL)
                                          : NULL;
    return sdphoto_database_open("shotwell", wanted, read_shotwell, library, error);
}
