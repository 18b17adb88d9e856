/* database.c: libraries in databases of other programs, and common functions for reading their tables (see database.h).
 *
 * A fetch compares the times and sizes of the database and its log with those of the last reading. If they differ, all
 * tables are read in one transaction into a new map, which then replaces that of the library. The file is untrusted:
 * values, rows, text and computing time are limited. */
#include "database.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sdimage/encode.h>

#include "fail.h"
#include "support.h"
#include "unmapped.h"
#include "uri.h"

/* Limits: rows read by a query, wait for a writing program, bytes of a value, bytes of all text. The longest value is
 * the list of items with a tag. */
enum { ROW_LIMIT = 4 << 20, BUSY_MS = 2000, VALUE_LIMIT = 16 << 20, TEXT_LIMIT = 512 << 20 };

/* Time that SQLite may compute for one reading, in nanoseconds, and its instructions between two clock checks. The
 * tables of a hostile file may make it compute endlessly. Access to the photo files is not counted. */
static const int64_t WORK_LIMIT = (int64_t)10 * 1000000000;
enum { WORK_STEP = 10000 };
/* Instructions of a compiled query. Those of this library have a few hundred. */
enum { PROGRAM_LIMIT = 10000 };

/* A library in a database. `changed`, `size` and those of the log belong to the last reading; `reading` guards them. */
struct sdphoto_database {
    struct sdimage_photos_library library;
    char *path;              /* a path that the caller gave is resolved */
    sdphoto_read_fn read;    /* reads the tables of this program */
    pthread_mutex_t reading; /* held while the database is read; acquired before the library's lock */
    struct timespec changed, log_changed;
    int64_t size, log_size;
    bool is_read; /* `library.assets` is complete */
};

/* --- Opening without write access. */

/* ROLLBACK: a database with a rollback journal, under SQLite's own locks. FILE_ALONE: in WAL mode without a log; SQLite
 * would create one (SQLite file format, 1.3.3: read version 2). LOG: in WAL mode with a log. SQLite holds the log's
 * index in the heap, where no other process can truncate it.
 *
 * sdphoto_hold holds the locks meanwhile, also for ROLLBACK: SQLite's own end as soon as this process closes any
 * descriptor of the file, such as that of another library or of a scan that examines the file (POSIX, close). */
typedef enum manner { ROLLBACK, FILE_ALONE, LOG } manner;

/* Returns the file: URI that opens a database in a manner, to be freed; NULL if memory is exhausted. */
static char *uri_of(const char *path, manner manner) {
    static const char *const queries[] = {"?mode=ro", "?immutable=1", "?mode=ro"};
    char *file = sdphoto_file_uri(path);
    char *uri = file ? sdphoto_join(file, queries[manner], NULL) : NULL;
    free(file);
    return uri;
}

/* Reads the file format read version, byte 19 of the header (SQLite file format, 1.3.3). */
static bool is_in_wal_mode(const sdphoto_hold *hold) {
    uint8_t head[20] = {0};
    return pread(hold->database, head, sizeof head, 0) == sizeof head && head[19] == 2;
}

/* Finds the write-ahead log of a database; false if there is none, or an empty one. */
static bool log_of(const char *path, struct stat *status) {
    char *log = sdphoto_join(path, "-wal", NULL);
    bool is_there = log && stat(log, status) == 0 && status->st_size > 0;
    free(log);
    return is_there;
}

/* Monotonic: a change of the time of day does not count as work. */
static int64_t clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return sdphoto_nanoseconds(now);
}

/* Progress handler of SQLite: a result other than 0 interrupts the statement. */
static int is_too_long(void *user_data) {
    const sdphoto_work *work = user_data;
    return work->spent_ns + (clock_ns() - work->began_ns) > WORK_LIMIT;
}

/* Sets limits for a file that may be hostile. Views are off: SQLite expands them while it compiles a query, when it
 * does not yet call the progress handler, and each may contain the one before it twice. */
static void distrust(sqlite3 *connection, sdphoto_work *work) {
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, VALUE_LIMIT);
    sqlite3_limit(connection, SQLITE_LIMIT_VDBE_OP, PROGRAM_LIMIT);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    work->began_ns = clock_ns();
    sqlite3_progress_handler(connection, WORK_STEP, is_too_long, work);
}

/* Opens a database and begins a transaction, which makes all later reads a consistent snapshot. Errors: BUSY,
 * CACHE_DAMAGED, IO_ERROR, NO_MEMORY. The caller closes the connection and releases the hold, also after a failure. */
static sdimage_status open_connection(const char *path, sqlite3 **connection, sdphoto_reading *reading,
                                      sdimage_error **error) {
    struct stat status;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    sdphoto_work *work = &reading->work;
    manner manner = ROLLBACK;
    if (!sdphoto_hold_take(&reading->hold, path, BUSY_MS))
        return sdcs_fail(error, SDIMAGE_STATUS_BUSY, "photos: database is being written");
    if (is_in_wal_mode(&reading->hold))
        manner = log_of(path, &status) ? LOG : FILE_ALONE;
    /* A rollback journal still has SQLite's own locks. */
    if (manner != ROLLBACK && !reading->hold.is_locked)
        return sdcs_fail(error, SDIMAGE_STATUS_IO_ERROR,
                         "photos: the system cannot lock the open file of the database");
    const char *system = manner == ROLLBACK ? sdphoto_unmapped() : sdphoto_unmapped_without_locks();
    char *uri = system ? uri_of(path, manner) : NULL;
    int code = uri ? sqlite3_open_v2(uri, connection, flags, system) : SQLITE_NOMEM;
    free(uri);
    /* No checkpoint on close: it would write the log into the database. */
    if (code == SQLITE_OK && manner == LOG) {
        sqlite3_db_config(*connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        code = sqlite3_exec(*connection, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL, NULL);
    }
    if (code == SQLITE_OK) {
        distrust(*connection, work);
        sqlite3_busy_timeout(*connection, BUSY_MS);
        /* BEGIN alone takes no lock; the first read does. */
        code = sqlite3_exec(*connection, "BEGIN; SELECT 1 FROM sqlite_master LIMIT 1", NULL, NULL, NULL);
    }
    /* The lower byte is the primary code, of extended ones too. */
    switch (code & 0xff) {
    case SQLITE_OK: return SDIMAGE_STATUS_OK;
    case SQLITE_NOMEM: return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for the database");
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return sdcs_fail(error, SDIMAGE_STATUS_BUSY, "photos: database is being written");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return sdcs_fail(error, SDIMAGE_STATUS_CACHE_DAMAGED, "photos: database is damaged");
    default: return sdcs_fail(error, SDIMAGE_STATUS_IO_ERROR, "photos: database could not be opened");
    }
}

/* --- Rows. */

/* Steps to the next row, and measures the time of SQLite alone: handling a row reads files. */
static int next_row(sqlite3_stmt *rows, sdphoto_work *work) {
    work->began_ns = clock_ns();
    int code = sqlite3_step(rows);
    work->spent_ns += clock_ns() - work->began_ns;
    return code;
}

sdimage_status sdphoto_each_row(sqlite3 *connection, const char *sql, sdphoto_row_fn take, sdphoto_reading *reading,
                                sdimage_error **error) {
    sqlite3_stmt *rows = NULL;
    reading->work.began_ns = clock_ns();
    int code = sqlite3_prepare_v2(connection, sql, -1, &rows, NULL);
    bool has_memory = true;
    /* A missing table or column. */
    if (code != SQLITE_OK)
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "photos: database has an unknown version");
    for (int i = 0; i < ROW_LIMIT && has_memory && (code = next_row(rows, &reading->work)) == SQLITE_ROW; i++)
        has_memory = take(reading, rows);
    sqlite3_finalize(rows);
    if (!has_memory)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for the database");
    if (code == SQLITE_INTERRUPT || code == SQLITE_TOOBIG)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "photos: database has too many or too long rows");
    if ((code & 0xff) == SQLITE_BUSY)
        return sdcs_fail(error, SDIMAGE_STATUS_BUSY, "photos: database is being written");
    /* ROW: the limit of rows was reached; those read so far are the result. */
    return code == SQLITE_DONE || code == SQLITE_ROW
               ? SDIMAGE_STATUS_OK
               : sdcs_fail(error, SDIMAGE_STATUS_CACHE_DAMAGED, "photos: database is damaged");
}

const char *sdphoto_row_text(sqlite3_stmt *row, int column) {
    const unsigned char *value = sqlite3_column_text(row, column);
    return value ? (const char *)value : "";
}

uint32_t sdphoto_row_side(sqlite3_stmt *row, int column) {
    int64_t value = sqlite3_column_int64(row, column);
    return value > 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

bool sdphoto_assets_add(sdphoto_map *assets, sdimage_photos_asset *asset) {
    size_t length = strlen(asset->identifier);
    /* The key is part of the value, so the old value is removed first. */
    sdimage_photos_asset *old = sdphoto_map_remove(assets, asset->identifier, length);
    bool is_set = sdphoto_map_set(assets, asset->identifier, length, asset);
    sdimage_photos_asset_unref(old);
    if (!is_set)
        sdimage_photos_asset_unref(asset);
    return is_set;
}

void sdphoto_set_type(sdphoto_info *info, const char *name) {
    const char *dot = strrchr(name, '.');
    sdimage_format format = dot ? sdimage_format_of_name(dot + 1) : SDIMAGE_FORMAT_UNKNOWN;
    info->orientation = info->orientation ? info->orientation : SDIMAGE_ORIENTATION_UP;
    if (info->media == SDIMAGE_PHOTOS_MEDIA_IMAGE) {
        info->format = format;
        info->playback =
            format == SDIMAGE_FORMAT_GIF ? SDIMAGE_PHOTOS_PLAYBACK_ANIMATED : SDIMAGE_PHOTOS_PLAYBACK_STILL;
        if (format != SDIMAGE_FORMAT_UNKNOWN)
            snprintf(info->type, sizeof info->type, "%s", sdimage_format_mime_type(format));
    } else {
        info->playback =
            info->media == SDIMAGE_PHOTOS_MEDIA_VIDEO ? SDIMAGE_PHOTOS_PLAYBACK_VIDEO : SDIMAGE_PHOTOS_PLAYBACK_NONE;
    }
}

bool sdphoto_stat_file(sdimage_photos_asset *asset) {
    struct stat status;
    /* A photo without access permission still exists; loading it reports the reason. */
    if (stat(asset->path, &status) != 0)
        return errno == EACCES;
    asset->modified_ns = sdphoto_nanoseconds(status.st_mtim);
    asset->file_size = status.st_size > 0 ? (uint64_t)status.st_size : 0;
    asset->origin = status.st_uid == geteuid() ? SDIMAGE_PHOTOS_ORIGIN_OWN : SDIMAGE_PHOTOS_ORIGIN_SHARED;
    if (!asset->info.has_date)
        asset->info.taken_ns = asset->modified_ns;
    return S_ISREG(status.st_mode);
}

int64_t sdphoto_seconds(int64_t value) {
    int64_t nanoseconds;
    return __builtin_mul_overflow(value, (int64_t)1000000000, &nanoseconds) ? 0 : nanoseconds;
}

sdimage_size sdphoto_displayed_size(uint32_t width, uint32_t height, sdimage_orientation orientation) {
    return orientation >= SDIMAGE_ORIENTATION_LEFT_MIRRORED ? (sdimage_size){height, width}
                                                            : (sdimage_size){width, height};
}

sdimage_orientation sdphoto_orientation_of(int64_t value) {
    return (sdimage_orientation)(value >= 1 && value <= 8 ? value : 1);
}

bool sdphoto_keeps_text(sdphoto_reading *reading, const char *text) {
    reading->text_bytes += strlen(text) + 1;
    return reading->text_bytes <= TEXT_LIMIT;
}

bool sdphoto_take_number(sdphoto_reading *reading, sqlite3_stmt *row) {
    reading->number = sqlite3_column_int64(row, 0);
    return true;
}

/* --- The library. */

/* Releases all assets of a map and frees the map. */
static void drop(sdphoto_map *assets) {
    for (size_t i = 0; i < assets->capacity; i++)
        sdimage_photos_asset_unref(assets->slots[i].value);
    sdphoto_map_clear(assets);
}

static bool is_time(struct timespec a, struct timespec b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Refuses columns that are computed: SQLite evaluates their expressions with each row, and one function of two long
 * texts can compute for hours without an interruption. Names of types are compared as SQLite does. */
static sdimage_status refuse_expressions(sdphoto_reading *reading, sqlite3 *connection, sdimage_error **error) {
    static const char computed[] = "SELECT count(*) FROM sqlite_master m JOIN pragma_table_xinfo(m.name) x"
                                   " WHERE m.type = 'table' COLLATE NOCASE AND x.hidden > 0";
    sdimage_status status = sdphoto_each_row(connection, computed, sdphoto_take_number, reading, error);
    if (status >= 0 && reading->number > 0)
        status = sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "photos: database has computed columns");
    return status;
}

/* Reads the whole database into a map. */
static sdimage_status read_assets(sdphoto_database *database, sdphoto_map *assets, sdimage_error **error) {
    enum { TRIES = 3 };
    for (int i = 0; i < TRIES; i++) {
        sqlite3 *connection = NULL;
        struct stat before = {0}, after = {0};
        sdphoto_reading reading = {.assets = assets, .hold = {-1, -1, false}};
        stat(database->path, &before);
        sdimage_status result = open_connection(database->path, &connection, &reading, error);
        if (result >= 0)
            result = refuse_expressions(&reading, connection, error);
        if (result >= 0)
            result = database->read(&reading, connection, error);
        sqlite3_close(connection);
        /* The log had no index to lock, so a program that started meanwhile may have copied its log into the
         * database. */
        bool was_exposed = reading.hold.index < 0 && is_in_wal_mode(&reading.hold);
        sdphoto_hold_release(&reading.hold);
        if (!was_exposed || (stat(database->path, &after) == 0 && is_time(before.st_mtim, after.st_mtim)))
            return result;
        /* The error may be a consequence of the change. */
        if (result < 0 && error) {
            sdimage_error_unref(*error);
            *error = NULL;
        }
        drop(assets);
    }
    return sdcs_fail(error, SDIMAGE_STATUS_BUSY, "photos: database is being written");
}

/* Reads the database if it has changed since the last reading, or in any case for NEED_NOW. Requires `reading`. */
static sdimage_status read_again(sdphoto_database *database, sdphoto_need need, sdimage_error **error) {
    struct stat status, log = {0};
    sdphoto_map assets = {NULL, 0, 0};
    if (stat(database->path, &status) != 0)
        return sdphoto_fail_file(error, errno);
    /* SQLite would block on a FIFO until its other end is opened. */
    if (!S_ISREG(status.st_mode))
        return sdcs_fail(error, SDIMAGE_STATUS_NOT_A_FILE, "photos: database is not a file");
    log_of(database->path, &log);
    if (need == SDPHOTO_NEED_INDEX && database->is_read && is_time(status.st_mtim, database->changed) &&
        status.st_size == database->size && is_time(log.st_mtim, database->log_changed) &&
        log.st_size == database->log_size)
        return SDIMAGE_STATUS_OK;
    sdimage_status result = read_assets(database, &assets, error);
    if (result < 0) {
        drop(&assets);
        return result;
    }
    pthread_mutex_lock(&database->library.lock);
    sdphoto_map before = database->library.assets;
    database->library.assets = assets;
    pthread_mutex_unlock(&database->library.lock);
    /* Outside of the lock: it frees all assets that no list holds. */
    drop(&before);
    database->changed = status.st_mtim;
    database->size = status.st_size;
    database->log_changed = log.st_mtim;
    database->log_size = log.st_size;
    database->is_read = true;
    return result;
}

/* Entry of sdphoto_library_kind. Blocks while another thread reads; a reading has no progress to report. */
static sdimage_status refresh(sdimage_photos_library *library, sdphoto_need need, sdphoto_progress progress,
                              sdimage_error **error) {
    sdphoto_database *own = (sdphoto_database *)library;
    (void)progress;
    pthread_mutex_lock(&own->reading);
    sdimage_status status = read_again(own, need, error);
    pthread_mutex_unlock(&own->reading);
    return status;
}

/* Entry of sdphoto_library_kind. */
static bool close_database(sdimage_photos_library *library) {
    sdphoto_database *own = (sdphoto_database *)library;
    pthread_mutex_destroy(&own->reading);
    free(own->path);
    return true;
}

static const sdphoto_library_kind database_kind = {.refresh = refresh, .close = close_database};

char *sdphoto_real_path(const char *path) {
    char *found = realpath(path, NULL);
    return found ? found : strdup(path);
}

sdimage_status sdphoto_database_open(const char *name, char *path, sdphoto_read_fn read,
                                     sdimage_photos_library **library, sdimage_error **error) {
    sdphoto_database *own = path ? sdphoto_library_new(&database_kind, name, sizeof *own) : NULL;
    if (!own) {
        free(path);
        return sdcs_fail(error, SDIMAGE_STATUS_NOT_FOUND, "photos: location of the database is unknown");
    }
    own->path = path;
    own->read = read;
    pthread_mutex_init(&own->reading, NULL);
    sdimage_status status = SDIMAGE_STATUS_OK;
    /* SQLite does not tell why it cannot open a file. */
    if (access(path, R_OK) != 0)
        status = errno == EACCES
                     ? sdcs_fail(error, SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED, "photos: database is not readable")
                     : sdphoto_fail_file(error, errno);
    if (status >= 0)
        /* Read at once, so that opening reports what is wrong with the database. */
        status = refresh(&own->library, SDPHOTO_NEED_NOW, (sdphoto_progress){NULL, NULL}, error);
    if (status < 0) {
        sdimage_photos_library_unref(&own->library);
        return status;
    }
    *library = &own->library;
    return status;
}
