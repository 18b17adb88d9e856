/* Libraries that other programs keep: the databases of Shotwell and of digiKam, read and never written. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <sdimage/encoder.h>

#include "library.h"
#include "uri.h"

/* Rows that are read at most; and how long a program that writes is waited for. */
enum { ROW_LIMIT = 4 << 20, BUSY_MS = 2000 };

typedef struct database {
    struct sdimage_photos_library library;
    char *path;
    sdimage_status (*read)(struct database *database, sqlite3 *connection, sdphoto_map *assets, sdimage_error **error);
    pthread_mutex_t reading; /* held while the database is read; taken before the library's lock */
    struct timespec changed, log_changed;
    int64_t size, log_size;
    bool is_read;
} database;

/* --- Opening without writing. */

typedef enum manner { IMMUTABLE, LIVE, LEFT_BEHIND } manner;

static char *uri_of(const char *path, manner manner) {
    static const char *const queries[] = {"?immutable=1", "?mode=ro&readonly_shm=1", "?mode=ro&vfs=unix-none"};
    char *file = sdphoto_file_uri(path);
    char *uri = file ? sdphoto_join(file, queries[manner], NULL) : NULL;
    free(file);
    return uri;
}

/* A database that is not being written with a log may be read as it lies: otherwise SQLite would make the files of the
 * log beside it (SQLite file format, 1.3.3: read version 2). The same is so of a log that a program left behind: it is
 * read with its index in memory, which needs a lock that nobody else wants. */
static bool wants_log(const char *path) {
    uint8_t head[20] = {0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t count = descriptor >= 0 ? pread(descriptor, head, sizeof head, 0) : -1;
    if (descriptor >= 0)
        close(descriptor);
    return count == sizeof head && head[19] == 2;
}

static bool has_log_index(const char *path) {
    char *index = sdphoto_join(path, "-shm", NULL);
    bool is_there = index && access(index, F_OK) == 0;
    free(index);
    return is_there;
}

static bool log_of(const char *path, struct stat *status) {
    char *log = sdphoto_join(path, "-wal", NULL);
    bool is_there = log && stat(log, status) == 0 && status->st_size > 0;
    free(log);
    return is_there;
}

static sdimage_status open_connection(const char *path, sqlite3 **connection, sdimage_error **error) {
    struct stat status;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    manner manner = !wants_log(path)         ? LIVE
                    : !log_of(path, &status) ? IMMUTABLE
                    : has_log_index(path)    ? LIVE
                                             : LEFT_BEHIND;
    char *uri = uri_of(path, manner);
    int code = uri ? sqlite3_open_v2(uri, connection, flags, NULL) : SQLITE_NOMEM;
    free(uri);
    if (code == SQLITE_OK && manner == LEFT_BEHIND) {
        sqlite3_db_config(*connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        code = sqlite3_exec(*connection, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL, NULL);
    }
    if (code == SQLITE_OK) {
        sqlite3_busy_timeout(*connection, BUSY_MS);
        code = sqlite3_exec(*connection, "BEGIN; SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
    }
    switch (code & 0xff) {
    case SQLITE_OK: return SDIMAGE_STATUS_OK;
    case SQLITE_NOMEM: return sdphoto_fail(error, SDIMAGE_STATUS_NO_MEMORY, "no memory for the database");
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return sdphoto_fail(error, SDIMAGE_STATUS_BUSY, "the database is being written");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return sdphoto_fail(error, SDIMAGE_STATUS_CACHE_DAMAGED, "the database is damaged");
    default: return sdphoto_fail(error, SDIMAGE_STATUS_IO_ERROR, "the database cannot be opened");
    }
}

/* --- Rows. */

/* What a function does with each row of a query; false where memory is refused. */
typedef bool (*row_fn)(void *user_data, sqlite3_stmt *row);

static sdimage_status each(sqlite3 *connection, const char *sql, row_fn take, void *user_data, sdimage_error **error) {
    sqlite3_stmt *rows = NULL;
    int code = sqlite3_prepare_v2(connection, sql, -1, &rows, NULL);
    bool has_memory = true;
    if (code != SQLITE_OK)
        return sdphoto_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "tables of an unknown version");
    for (int i = 0; i < ROW_LIMIT && has_memory && (code = sqlite3_step(rows)) == SQLITE_ROW; i++)
        has_memory = take(user_data, rows);
    sqlite3_finalize(rows);
    if (!has_memory)
        return sdphoto_fail(error, SDIMAGE_STATUS_NO_MEMORY, "no memory for the database");
    if ((code & 0xff) == SQLITE_BUSY)
        return sdphoto_fail(error, SDIMAGE_STATUS_BUSY, "the database is being written");
    return code == SQLITE_DONE || code == SQLITE_ROW
               ? SDIMAGE_STATUS_OK
               : sdphoto_fail(error, SDIMAGE_STATUS_CACHE_DAMAGED, "the database is damaged");
}

static const char *text(sqlite3_stmt *row, int column) {
    const unsigned char *value = sqlite3_column_text(row, column);
    return value ? (const char *)value : "";
}

static uint32_t side(sqlite3_stmt *row, int column) {
    int64_t value = sqlite3_column_int64(row, column);
    return value > 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static bool add(sdphoto_map *assets, sdimage_photos_asset *asset) {
    size_t length = strlen(asset->identifier);
    sdimage_photos_asset *old = sdphoto_map_remove(assets, asset->identifier, length);
    bool is_set = sdphoto_map_set(assets, asset->identifier, length, asset);
    sdimage_photos_asset_unref(old);
    if (!is_set)
        sdimage_photos_asset_unref(asset);
    return is_set;
}

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* By the name of the file, for rows that only say so; its bytes are looked at when it is loaded. */
static void set_type(sdphoto_facts *facts, const char *name) {
    const char *dot = strrchr(name, '.');
    sdimage_format format = dot ? sdimage_format_of_name(dot + 1) : SDIMAGE_FORMAT_UNDEFINED;
    facts->orientation = facts->orientation ? facts->orientation : SDIMAGE_ORIENTATION_UP;
    if (facts->media == SDIMAGE_PHOTOS_MEDIA_IMAGE) {
        facts->format = format;
        facts->playback =
            format == SDIMAGE_FORMAT_GIF ? SDIMAGE_PHOTOS_PLAYBACK_ANIMATED : SDIMAGE_PHOTOS_PLAYBACK_STILL;
        if (format != SDIMAGE_FORMAT_UNDEFINED)
            snprintf(facts->type, sizeof facts->type, "%s", sdimage_format_media_type(format));
    } else {
        facts->playback =
            facts->media == SDIMAGE_PHOTOS_MEDIA_VIDEO ? SDIMAGE_PHOTOS_PLAYBACK_VIDEO : SDIMAGE_PHOTOS_PLAYBACK_NONE;
    }
}

/* Time and length of the file as it is now; false when it is gone, or belongs to nobody who could show it. */
static bool look_at(sdimage_photos_asset *asset) {
    struct stat status;
    if (stat(asset->path, &status) != 0)
        return errno == EACCES;
    asset->modified_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    asset->file_size = status.st_size > 0 ? (uint64_t)status.st_size : 0;
    asset->origin = status.st_uid == geteuid() ? SDIMAGE_PHOTOS_ORIGIN_OWN : SDIMAGE_PHOTOS_ORIGIN_SHARED;
    if (!asset->facts.has_date)
        asset->facts.taken_ns = asset->modified_ns;
    return S_ISREG(status.st_mode);
}

static int64_t seconds(int64_t value) {
    int64_t nanoseconds;
    return __builtin_mul_overflow(value, (int64_t)1000000000, &nanoseconds) ? 0 : nanoseconds;
}

/* Size as displayed, of one as stored. */
static sdimage_size turned(uint32_t width, uint32_t height, sdimage_orientation orientation) {
    return orientation >= SDIMAGE_ORIENTATION_LEFT_MIRRORED ? (sdimage_size){height, width}
                                                            : (sdimage_size){width, height};
}

static sdimage_orientation orientation_of(int64_t value) {
    return (sdimage_orientation)(value >= 1 && value <= 8 ? value : 1);
}

/* --- Shotwell: src/db/DatabaseTable.vala, schemas 15 (0.13) to 24. */

enum { SHOTWELL_FIRST = 15, SHOTWELL_LAST = 24 };

typedef struct reading {
    sdphoto_map *assets;
    char **roots; /* digiKam: folders of album roots, by their number */
    int64_t *root_numbers;
    size_t root_count, root_capacity, number_capacity;
    int64_t version;
} reading;

static bool take_version(void *user_data, sqlite3_stmt *row) {
    reading *reading = user_data;
    reading->version = sqlite3_column_int64(row, 0);
    return true;
}

/* id, filename, width, height, orientation, exposure time, rating, event; of a video the orientation is 1. */
static bool take_shotwell(reading *reading, sqlite3_stmt *row, sdimage_photos_media media) {
    char identifier[64];
    const char *path = text(row, 1);
    if (*path != '/')
        return true;
    snprintf(identifier, sizeof identifier, "shotwell/%s/%lld", media == SDIMAGE_PHOTOS_MEDIA_IMAGE ? "photo" : "video",
             (long long)sqlite3_column_int64(row, 0));
    sdimage_photos_asset *asset = sdphoto_asset_new(identifier, path, name_of(path));
    if (!asset)
        return false;
    asset->facts.media = media;
    asset->facts.orientation = orientation_of(sqlite3_column_int64(row, 4));
    asset->facts.size = turned(side(row, 2), side(row, 3), asset->facts.orientation);
    asset->facts.has_date = sqlite3_column_int64(row, 5) > 0;
    asset->facts.taken_ns = seconds(sqlite3_column_int64(row, 5));
    asset->rating = sqlite3_column_int(row, 6);
    if (asset->rating < -1 || asset->rating > 5)
        asset->rating = 0;
    set_type(&asset->facts, asset->name);
    bool has_memory = !*text(row, 7) || sdphoto_asset_add_album(asset, text(row, 7));
    if (has_memory && look_at(asset))
        return add(reading->assets, asset);
    sdimage_photos_asset_unref(asset);
    return has_memory;
}

static bool take_photo(void *user_data, sqlite3_stmt *row) {
    return take_shotwell(user_data, row, SDIMAGE_PHOTOS_MEDIA_IMAGE);
}

static bool take_video(void *user_data, sqlite3_stmt *row) {
    return take_shotwell(user_data, row, SDIMAGE_PHOTOS_MEDIA_VIDEO);
}

/* A tag and the list of what has it: "thumb00000000000000a1,video-00000000000000b2,", numbers in hexadecimal. */
static bool take_tag(void *user_data, sqlite3_stmt *row) {
    reading *reading = user_data;
    const char *name = text(row, 0), *at = text(row, 1);
    /* Nested tags begin with "/". */
    name += *name == '/';
    for (; *name && *at; at += *at == ',') {
        size_t length = strcspn(at, ",");
        bool is_video = strncmp(at, "video-", 6) == 0, is_photo = strncmp(at, "thumb", 5) == 0;
        char identifier[64], digits[24] = "", *end;
        size_t skip = is_video ? 6 : 5;
        if ((is_video || is_photo) && length > skip && length - skip < sizeof digits) {
            memcpy(digits, at + skip, length - skip);
            unsigned long long number = strtoull(digits, &end, 16);
            snprintf(identifier, sizeof identifier, "shotwell/%s/%llu", is_video ? "video" : "photo", number);
            sdimage_photos_asset *asset =
                *end ? NULL : sdphoto_map_find(reading->assets, identifier, strlen(identifier));
            if (asset && !sdphoto_asset_add_album(asset, name))
                return false;
        }
        at += length;
    }
    return true;
}

static bool has_table(sqlite3 *connection, const char *name) {
    sqlite3_stmt *row = NULL;
    bool is_there = sqlite3_prepare_v2(connection, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", -1,
                                       &row, NULL) == SQLITE_OK &&
                    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW;
    sqlite3_finalize(row);
    return is_there;
}

/* Flags: of photos 1 hidden, 4 trash, 8 missing; of videos 1 trash, 2 missing (LibraryPhoto and Video of Shotwell). */
static sdimage_status read_shotwell(database *database, sqlite3 *connection, sdphoto_map *assets,
                                    sdimage_error **error) {
    static const char photos[] =
        "SELECT p.id, p.filename, p.width, p.height, p.orientation, p.exposure_time, p.rating, e.name FROM PhotoTable p"
        " LEFT JOIN EventTable e ON e.id = p.event_id WHERE p.flags & 13 = 0";
    static const char videos[] =
        "SELECT v.id, v.filename, v.width, v.height, 1, v.exposure_time, v.rating, e.name FROM VideoTable v"
        " LEFT JOIN EventTable e ON e.id = v.event_id WHERE v.flags & 3 = 0";
    reading reading = {.assets = assets};
    (void)database;
    sdimage_status status =
        each(connection, "SELECT schema_version FROM VersionTable LIMIT 1", take_version, &reading, error);
    if (status >= 0 && (reading.version < SHOTWELL_FIRST || reading.version > SHOTWELL_LAST))
        status = sdphoto_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "tables of an unknown version");
    if (status >= 0)
        status = each(connection, photos, take_photo, &reading, error);
    if (status >= 0 && has_table(connection, "VideoTable"))
        status = each(connection, videos, take_video, &reading, error);
    if (status >= 0 && has_table(connection, "TagTable"))
        status = each(connection, "SELECT name, photo_id_list FROM TagTable", take_tag, &reading, error);
    return status;
}

/* --- digiKam: core/data/database/dbconfig.xml, versions 5 (1.0) to 16. */

enum { DIGIKAM_FIRST = 5, DIGIKAM_LAST = 16 };

/* Where the file system of a UUID is mounted, to be freed: the device by its name, the folder by its number (proc(5),
 * mountinfo). */
static char *mount_of(const char *uuid) {
    char link[128], line[4096], *found = NULL;
    struct stat device;
    if (strlen(uuid) > 64 || strchr(uuid, '/'))
        return NULL;
    snprintf(link, sizeof link, "/dev/disk/by-uuid/%s", uuid);
    FILE *mounts = stat(link, &device) == 0 ? fopen("/proc/self/mountinfo", "re") : NULL;
    while (mounts && !found && fgets(line, sizeof line, mounts)) {
        unsigned major, minor;
        char root[2048], folder[2048];
        if (sscanf(line, "%*d %*d %u:%u %2047s %2047s", &major, &minor, root, folder) == 4 &&
            makedev(major, minor) == device.st_rdev && strcmp(root, "/") == 0)
            found = sdphoto_join(strcmp(folder, "/") == 0 ? "" : folder, NULL, NULL);
    }
    if (mounts)
        fclose(mounts);
    return found;
}

/* "volumeid:?path=%2Fhome%2Fa", "volumeid:?uuid=…", "networkshareid:?mountpath=…": a folder, to be freed; NULL for
 * others. */
static char *root_of(const char *identifier, const char *below) {
    const char *query = strchr(identifier, '?'), *equals = query ? strchr(query, '=') : NULL;
    if (!equals)
        return NULL;
    char *value = sdphoto_decoded(equals + 1, strcspn(equals + 1, "&"));
    size_t name = (size_t)(equals - query - 1);
    bool is_uuid = name == 4 && memcmp(query + 1, "uuid", 4) == 0;
    char *folder = value && is_uuid ? mount_of(value) : value && *value == '/' ? sdphoto_join(value, NULL, NULL) : NULL;
    free(value);
    char *root = folder ? sdphoto_join(folder, strcmp(below, "/") == 0 ? "" : below, NULL) : NULL;
    free(folder);
    return root;
}

/* id, identifier, specificPath */
static bool take_root(void *user_data, sqlite3_stmt *row) {
    reading *reading = user_data;
    char *root = root_of(text(row, 1), text(row, 2));
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

/* "2024-05-01T12:34:56.789", in the machine's zone. */
static bool date_of(const char *iso, int64_t *nanoseconds) {
    struct tm date = {.tm_isdst = -1};
    const char *rest = strptime(iso, "%Y-%m-%dT%H:%M:%S", &date);
    if (!rest)
        return false;
    *nanoseconds = seconds((int64_t)mktime(&date));
    return true;
}

/* id, albumRoot, relativePath, name, category, width, height, orientation, creationDate, rating */
static bool take_image(void *user_data, sqlite3_stmt *row) {
    reading *reading = user_data;
    const char *root = NULL, *album = text(row, 2), *name = text(row, 3);
    int64_t category = sqlite3_column_int64(row, 4);
    for (size_t i = 0; i < reading->root_count && !root; i++)
        if (reading->root_numbers[i] == sqlite3_column_int64(row, 1))
            root = reading->roots[i];
    if (!root || !*name || strchr(name, '/') || category < 1 || category > 3)
        return true;
    char identifier[64], *folder = sdphoto_join(root, strcmp(album, "/") == 0 ? "" : album, "/");
    char *path = folder ? sdphoto_join(folder, name, NULL) : NULL;
    snprintf(identifier, sizeof identifier, "digikam/%lld", (long long)sqlite3_column_int64(row, 0));
    sdimage_photos_asset *asset = path ? sdphoto_asset_new(identifier, path, name) : NULL;
    free(folder);
    free(path);
    if (!asset)
        return false;
    /* Categories: 1 image, 2 video, 3 audio; our bits are 1, 2, 4. */
    asset->facts.media = (sdimage_photos_media)(1 << (category - 1));
    asset->facts.orientation = orientation_of(sqlite3_column_int64(row, 7));
    asset->facts.size = turned(side(row, 5), side(row, 6), asset->facts.orientation);
    asset->facts.has_date = date_of(text(row, 8), &asset->facts.taken_ns);
    asset->rating = sqlite3_column_type(row, 9) == SQLITE_NULL ? 0 : sqlite3_column_int(row, 9);
    if (asset->rating < 0 || asset->rating > 5)
        asset->rating = 0;
    set_type(&asset->facts, asset->name);
    bool has_memory = sdphoto_asset_add_album(asset, *album == '/' ? album + 1 : album);
    if (has_memory && look_at(asset))
        return add(reading->assets, asset);
    sdimage_photos_asset_unref(asset);
    return has_memory;
}

/* imageid, path of the tag */
static bool take_image_tag(void *user_data, sqlite3_stmt *row) {
    reading *reading = user_data;
    char identifier[64];
    snprintf(identifier, sizeof identifier, "digikam/%lld", (long long)sqlite3_column_int64(row, 0));
    sdimage_photos_asset *asset = sdphoto_map_find(reading->assets, identifier, strlen(identifier));
    return !asset || !*text(row, 1) || sdphoto_asset_add_album(asset, text(row, 1));
}

static sdimage_status read_digikam(database *database, sqlite3 *connection, sdphoto_map *assets,
                                   sdimage_error **error) {
    static const char images[] =
        "SELECT i.id, a.albumRoot, a.relativePath, i.name, i.category, n.width, n.height, n.orientation,"
        " n.creationDate, n.rating FROM Images i JOIN Albums a ON a.id = i.album LEFT JOIN ImageInformation n ON n.imageid = i.id"
        " WHERE i.status = 1";
    /* Names from the root of a tag; at most 16 deep, whatever the table says. What digiKam notes for itself is below
     * "_Digikam_Internal_Tags_". */
    static const char tags[] =
        "WITH RECURSIVE named(id, path, depth) AS (SELECT id, name, 1 FROM Tags WHERE pid = 0 AND name NOT LIKE"
        " '\\_Digikam%' ESCAPE '\\' UNION SELECT t.id, named.path || '/' || t.name, depth + 1 FROM Tags t JOIN named ON"
        " t.pid = named.id WHERE depth < 16) SELECT it.imageid, named.path FROM ImageTags it JOIN named ON"
        " named.id = it.tagid";
    reading reading = {.assets = assets};
    (void)database;
    sdimage_status status =
        each(connection, "SELECT value FROM Settings WHERE keyword = 'DBVersion'", take_version, &reading, error);
    if (status >= 0 && (reading.version < DIGIKAM_FIRST || reading.version > DIGIKAM_LAST))
        status = sdphoto_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "tables of an unknown version");
    if (status >= 0)
        status = each(connection, "SELECT id, identifier, specificPath FROM AlbumRoots", take_root, &reading, error);
    if (status >= 0)
        status = each(connection, images, take_image, &reading, error);
    if (status >= 0)
        status = each(connection, tags, take_image_tag, &reading, error);
    for (size_t i = 0; i < reading.root_count; i++)
        free(reading.roots[i]);
    free(reading.roots);
    free(reading.root_numbers);
    return status;
}

/* --- The library. */

static void drop(sdphoto_map *assets) {
    for (size_t i = 0; i < assets->capacity; i++)
        sdimage_photos_asset_unref(assets->slots[i].value);
    sdphoto_map_clear(assets);
}

static bool is_time(struct timespec a, struct timespec b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

static sdimage_status read_again(database *database, sdphoto_need need, sdimage_error **error) {
    struct stat status, log = {0};
    sqlite3 *connection = NULL;
    sdphoto_map assets = {NULL, 0, 0};
    if (stat(database->path, &status) != 0)
        return sdphoto_fail_file(error, errno);
    /* SQLite would wait for the other end of a fifo. */
    if (!S_ISREG(status.st_mode))
        return sdphoto_fail(error, SDIMAGE_STATUS_NOT_A_FILE, "the database is no file");
    log_of(database->path, &log);
    if (need == SDPHOTO_NEED_INDEX && database->is_read && is_time(status.st_mtim, database->changed) &&
        status.st_size == database->size && is_time(log.st_mtim, database->log_changed) &&
        log.st_size == database->log_size)
        return SDIMAGE_STATUS_OK;
    sdimage_status result = open_connection(database->path, &connection, error);
    if (result >= 0)
        result = database->read(database, connection, &assets, error);
    sqlite3_close(connection);
    if (result < 0) {
        drop(&assets);
        return result;
    }
    pthread_mutex_lock(&database->library.lock);
    sdphoto_map before = database->library.assets;
    database->library.assets = assets;
    pthread_mutex_unlock(&database->library.lock);
    drop(&before);
    database->changed = status.st_mtim;
    database->size = status.st_size;
    database->log_changed = log.st_mtim;
    database->log_size = log.st_size;
    database->is_read = true;
    return result;
}

static sdimage_status refresh(sdimage_photos_library *library, sdphoto_need need, sdphoto_watcher watcher,
                              sdimage_error **error) {
    database *own = (database *)library;
    (void)watcher;
    pthread_mutex_lock(&own->reading);
    sdimage_status status = read_again(own, need, error);
    pthread_mutex_unlock(&own->reading);
    return status;
}

static void close_database(sdimage_photos_library *library) {
    database *own = (database *)library;
    pthread_mutex_destroy(&own->reading);
    free(own->path);
}

static const sdphoto_kind_of_library database_kind = {refresh, close_database};

static sdimage_status open_database(const char *name, char *path,
                                    sdimage_status (*read)(database *, sqlite3 *, sdphoto_map *, sdimage_error **),
                                    sdimage_photos_library **library, sdimage_error **error) {
    database *own = path ? sdphoto_library_new(&database_kind, name, sizeof *own) : NULL;
    if (!own) {
        free(path);
        return sdphoto_fail(error, SDIMAGE_STATUS_NOT_FOUND, "no database is known");
    }
    own->path = path;
    own->read = read;
    pthread_mutex_init(&own->reading, NULL);
    sdimage_status status = SDIMAGE_STATUS_OK;
    if (access(path, R_OK) != 0)
        status = errno == EACCES
                     ? sdphoto_fail(error, SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED, "the database may not be read")
                     : sdphoto_fail_file(error, errno);
    if (status >= 0)
        status = refresh(&own->library, SDPHOTO_NEED_NOW, (sdphoto_watcher){NULL, NULL}, error);
    if (status < 0) {
        sdimage_photos_library_unref(&own->library);
        return status;
    }
    *library = &own->library;
    return status;
}

sdimage_status sdimage_photos_library_open_shotwell(const char *path, sdimage_photos_library **library,
                                                    sdimage_error **error) {
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (!library)
        return sdphoto_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "no place for the library");
    char *wanted = path                   ? realpath(path, NULL)
                   : data && *data == '/' ? sdphoto_join(data, "/shotwell/data/photo.db", NULL)
                   : home && *home == '/' ? sdphoto_join(home, "/.local/share/shotwell/data/photo.db", NULL)
                                          : NULL;
    return open_database("shotwell", wanted, read_shotwell, library, error);
}

sdimage_status sdimage_photos_library_open_digikam(const char *path, sdimage_photos_library **library,
                                                   sdimage_error **error) {
    if (!library)
        return sdphoto_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "no place for the library");
    char *pictures = path ? NULL : sdphoto_pictures_folder();
    char *wanted = path ? realpath(path, NULL) : pictures ? sdphoto_join(pictures, "/digikam4.db", NULL) : NULL;
    free(pictures);
    return open_database("digikam", wanted, read_digikam, library, error);
}
