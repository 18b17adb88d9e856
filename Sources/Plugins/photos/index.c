/* index.c: the index of a tree in SQLite (see index.h).
 *
 * The table `files` has one row for each entry of the tree. Its rows are untrusted when they are read: another program
 * may have changed the file. Writes happen in transactions of a scan, under the file lock of the index; readers in
 * other processes see the last commit. */
#include "index.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "md5.h"
#include "support.h"
#include "unmapped.h"

/* The format of the tables, which also names the folder; the wait for a lock; the limit of generations. */
enum { FORMAT = 1, BUSY_MS = 2000, GENERATION_LIMIT = 1000000 };
/* Longer paths are skipped by a scan too. With the folder of the library they must fit PATH_MAX. */
enum { PATH_LIMIT = 4096, VALUE_LIMIT = 1 << 20, IDENTIFIER_LENGTH = 36 };
/* SQLite's instructions between two calls of the progress handler, and the limit of such calls in one function:
 * seconds. A damaged file could make it compute endlessly; an index of a million photos takes a quarter of them. */
enum { STEP = 10000, STEP_LIMIT = 20000 };

bool sdphoto_new_identifier(char identifier[40]) {
    uint8_t bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return false;
    /* Version 4 and variant (RFC 9562, section 5.4). */
    bytes[6] = (uint8_t)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (uint8_t)((bytes[8] & 0x3f) | 0x80);
    char *to = identifier;
    for (int i = 0; i < 16; i++)
        to += snprintf(to, 4, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", bytes[i]);
    return true;
}

/* --- Opening. */

/* Makes the missing folders of the path of a file, with access for the user only. */
static bool make_folder(char *path) {
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = 0;
        bool is_there = mkdir(path, 0700) == 0 || errno == EEXIST;
        *at = '/';
        if (!is_there)
            return false;
    }
    return true;
}

/* Returns the path of the database of a generation, to be freed. */
static char *file_of(const sdphoto_index *index, unsigned generation) {
    char end[24];
    snprintf(end, sizeof end, "-%u.db", generation);
    return sdphoto_join(index->stem, end, NULL);
}

/* Closes the database; an open transaction is rolled back. */
static void close_database(sdphoto_index *index) {
    sqlite3_finalize(index->put);
    sqlite3_finalize(index->drop);
    index->put = index->drop = NULL;
    sqlite3_close(index->database);
    index->database = NULL;
}

/* Returns the number that a statement computes; -1 if it fails. */
static int64_t number_of(sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement = NULL;
    int64_t number = -1;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

/* Progress handler of SQLite: a result other than 0 interrupts the statement. */
static int is_too_long(void *user_data) {
    sdphoto_index *index = user_data;
    return ++index->steps > STEP_LIMIT;
}

/* Returns the format of the database. A database in WAL mode, written by earlier versions, is first changed to a
 * rollback journal: in exclusive mode SQLite needs no mapped index of the log. */
static int64_t format_of(sqlite3 *database) {
    static const char change[] =
        "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = TRUNCATE; PRAGMA locking_mode = NORMAL";
    int64_t format = number_of(database, "PRAGMA user_version");
    if (format < 0 && sqlite3_errcode(database) == SQLITE_CANTOPEN &&
        sqlite3_exec(database, change, NULL, NULL, NULL) == SQLITE_OK)
        format = number_of(database, "PRAGMA user_version");
    return format;
}

/* The table, as SQLite stores its text: nothing may stand between TABLE and the name. */
#define FILES                                                                                                          \
    "files (id TEXT PRIMARY KEY, path BLOB NOT NULL, device INTEGER, node INTEGER,"                                    \
    " size INTEGER, modified INTEGER, digest BLOB, known INTEGER, lost INTEGER, media INTEGER, playback INTEGER,"      \
    " format INTEGER, type TEXT, width INTEGER, height INTEGER, orientation INTEGER, dated INTEGER, taken INTEGER,"    \
    " shared INTEGER) WITHOUT ROWID"

/* Makes the table of an empty database. False if there is another one, or anything besides: SQLite would evaluate its
 * expressions, and cannot be interrupted within one. */
static bool has_table(sqlite3 *database, int64_t format) {
    static const char set[] = "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL";
    static const char make[] = "BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS " FILES "; PRAGMA user_version = 1; COMMIT";
    static const char check[] = "SELECT count(*) = 1 AND min(sql) = 'CREATE TABLE " FILES "' FROM sqlite_master";
    /* Nothing is written to an existing table: a scan of another process may hold the lock for long. */
    return sqlite3_exec(database, set, NULL, NULL, NULL) == SQLITE_OK &&
           (format == FORMAT || sqlite3_exec(database, make, NULL, NULL, NULL) == SQLITE_OK) &&
           number_of(database, check) == 1;
}

/* Sets limits for a file that another program may have changed. */
static void distrust(sdphoto_index *index) {
    static const int settings[][2] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        sqlite3_db_config(index->database, settings[i][0], settings[i][1], NULL);
    sqlite3_limit(index->database, SQLITE_LIMIT_LENGTH, VALUE_LIMIT);
    index->steps = 0;
    sqlite3_progress_handler(index->database, STEP, is_too_long, index);
}

/* Reports that a result code of SQLite, or the extended one of it, is that of a lock of another process. */
static bool is_lock(int code) {
    return (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED;
}

/* Reports a symbolic link, which may lead to any database of the user: it would get a table. */
static bool is_link(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

/* Opens the database of the current generation and makes its table. */
static bool open_database(sdphoto_index *index) {
    static const char put[] = "INSERT OR REPLACE INTO files VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
    static const char drop[] = "DELETE FROM files WHERE id = ?";
    char *path = file_of(index, index->generation);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    bool is_open = path && !is_link(path) && sdphoto_unmapped() &&
                   sqlite3_open_v2(path, &index->database, flags, sdphoto_unmapped()) == SQLITE_OK;
    free(path);
    /* Limits before the first statement: opening reads nothing of the file. */
    if (is_open) {
        distrust(index);
        sqlite3_busy_timeout(index->database, BUSY_MS);
    }
    int64_t format = is_open ? format_of(index->database) : -1;
    index->is_busy = false;
    /* 0 is a new file. */
    if ((format == 0 || format == FORMAT) && has_table(index->database, format) &&
        sqlite3_prepare_v3(index->database, put, -1, SQLITE_PREPARE_PERSISTENT, &index->put, NULL) == SQLITE_OK &&
        sqlite3_prepare_v3(index->database, drop, -1, SQLITE_PREPARE_PERSISTENT, &index->drop, NULL) == SQLITE_OK) {
        index->is_damaged = false;
        /* No load has seen this database. */
        index->seen = -1;
        return true;
    }
    index->is_busy = index->database && is_lock(sqlite3_errcode(index->database));
    close_database(index);
    return false;
}

/* Reports that the database of a generation exists. */
static bool exists(const sdphoto_index *index, unsigned generation) {
    char *path = file_of(index, generation);
    bool is_there = path && access(path, F_OK) == 0;
    free(path);
    return is_there;
}

/* Opens the latest generation; a new one if that is unusable. A database that is only busy is not: without its rows,
 * known files would get new identifiers. */
static bool open_latest(sdphoto_index *index) {
    close_database(index);
    /* Another process may have found this generation damaged and begun the next. */
    while (index->generation < GENERATION_LIMIT && exists(index, index->generation + 1))
        index->generation++;
    if (!index->is_damaged && (open_database(index) || index->is_busy))
        return index->database != NULL;
    index->generation++;
    return open_database(index);
}

sdimage_status sdphoto_index_open(sdphoto_index *index, const char *folder, const char *library,
                                  sdimage_error **error) {
    char digest[33];
    *index = (sdphoto_index){.lock = -1, .generation = 1};
    /* The name of the index follows from the path of the library. */
    sdcs_md5_text(library, strlen(library), digest);
    /* The folder of this format; another format has another folder. */
    index->stem = sdphoto_join(folder, "/v1/", digest);
    char *lock = index->stem ? sdphoto_join(index->stem, ".lock", NULL) : NULL;
    if (!lock)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for a name");
    bool has_folder = make_folder(lock);
    index->lock = has_folder ? open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    free(lock);
    if (index->lock < 0)
        return sdcs_fail(error, SDIMAGE_STATUS_CACHE_UNUSABLE, "photos: index folder is not writable");
    if (!open_latest(index) && !index->is_busy)
        return sdcs_fail(error, SDIMAGE_STATUS_CACHE_UNUSABLE, "photos: index could not be opened");
    return SDIMAGE_STATUS_OK;
}

void sdphoto_index_close(sdphoto_index *index) {
    close_database(index);
    if (index->lock >= 0)
        close(index->lock);
    free(index->stem);
    *index = (sdphoto_index){.lock = -1};
}

bool sdphoto_index_try_lock(sdphoto_index *index) {
    int result;
    do
        result = flock(index->lock, LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

void sdphoto_index_unlock(sdphoto_index *index) {
    flock(index->lock, LOCK_UN);
}

bool sdphoto_index_has_changed(sdphoto_index *index) {
    if (index->is_damaged || !index->database || exists(index, index->generation + 1))
        return true;
    int64_t now = number_of(index->database, "PRAGMA data_version");
    return now < 0 || now != index->seen;
}

/* --- Reading and writing. */

/* Copies text up to `room` - 1 bytes; NULL counts as "". */
static void copy_text(char *to, size_t room, const unsigned char *text) {
    snprintf(to, room, "%s", text ? (const char *)text : "");
}

/* Returns a column as a number of 32 bits; 0 if it does not fit. */
static uint32_t small(sqlite3_stmt *row, int column) {
    int64_t value = sqlite3_column_int64(row, column);
    return value < 0 || value > UINT32_MAX ? 0 : (uint32_t)value;
}

/* Reports that a relative path stays below its starting folder. */
static bool is_below(const char *path) {
    if (*path == '/')
        return false;
    for (const char *part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || part[2] == 0))
            return false;
    return true;
}

/* Validates everything: the row may come from a damaged file. */
static bool read_record(sqlite3_stmt *row, sdphoto_record *record) {
    const char *path = sqlite3_column_blob(row, 1);
    int length = sqlite3_column_bytes(row, 1);
    const void *digest = sqlite3_column_blob(row, 6);
    *record = (sdphoto_record){.path = path};
    copy_text(record->identifier, sizeof record->identifier, sqlite3_column_text(row, 0));
    /* Paths are stored with their NUL. A path must not lead out of the library, whose files are opened by it. */
    if (!path || length < 2 || length > PATH_LIMIT || path[length - 1] != 0 || strlen(record->identifier) != 36 ||
        !is_below(path))
        return false;
    record->file.device = (uint64_t)sqlite3_column_int64(row, 2);
    record->file.node = (uint64_t)sqlite3_column_int64(row, 3);
    record->size = (uint64_t)sqlite3_column_int64(row, 4);
    record->modified_ns = sqlite3_column_int64(row, 5);
    if (digest && sqlite3_column_bytes(row, 6) == (int)sizeof record->digest)
        memcpy(record->digest, digest, sizeof record->digest);
    record->is_known = sqlite3_column_int(row, 7) != 0;
    record->lost_ns = sqlite3_column_int64(row, 8);
    sdphoto_info *info = &record->info;
    info->media = (sdimage_photos_media)(small(row, 9) & SDIMAGE_PHOTOS_MEDIA_ALL);
    info->playback = (sdimage_photos_playback)(small(row, 10) & 3);
    /* Enums may have values that this version does not know. */
    info->format = (sdimage_format)sqlite3_column_int(row, 11);
    copy_text(info->type, sizeof info->type, sqlite3_column_text(row, 12));
    info->size = (sdimage_size){small(row, 13), small(row, 14)};
    uint32_t orientation = small(row, 15);
    info->orientation = (sdimage_orientation)(orientation >= 1 && orientation <= 8 ? orientation : 1);
    info->has_date = sqlite3_column_int(row, 16) != 0;
    info->taken_ns = sqlite3_column_int64(row, 17);
    record->is_shared = sqlite3_column_int(row, 18) != 0;
    return true;
}

/* Checks that identifiers ascend. A damaged tree that contains a page twice repeats its rows endlessly. */
static bool follows(sqlite3_stmt *row, char last[IDENTIFIER_LENGTH]) {
    const void *identifier = sqlite3_column_blob(row, 0);
    if (!identifier || sqlite3_column_bytes(row, 0) != IDENTIFIER_LENGTH ||
        memcmp(identifier, last, IDENTIFIER_LENGTH) <= 0)
        return false;
    memcpy(last, identifier, IDENTIFIER_LENGTH);
    return true;
}

bool sdphoto_index_load(sdphoto_index *index, bool (*take)(void *user_data, const sdphoto_record *record),
                        void *user_data) {
    /* Without any database the tree has no entries yet. */
    if (!index->database || index->is_damaged || exists(index, index->generation + 1))
        if (!open_latest(index))
            return true;
    sqlite3_stmt *rows = NULL;
    sdphoto_record record;
    char last[IDENTIFIER_LENGTH] = "";
    index->steps = 0;
    int code = sqlite3_prepare_v2(index->database, "SELECT * FROM files ORDER BY id", -1, &rows, NULL);
    bool has_memory = true;
    /* Before the rows: a change during the load is then seen later. */
    index->seen = number_of(index->database, "PRAGMA data_version");
    while (code == SQLITE_OK && has_memory && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        code = follows(rows, last) ? SQLITE_OK : SQLITE_CORRUPT;
        if (code == SQLITE_OK && read_record(rows, &record))
            has_memory = take(user_data, &record);
    }
    sqlite3_finalize(rows);
    index->is_busy = is_lock(code);
    if (index->is_busy)
        /* The next scan loads all rows. */
        index->seen = -1;
    else if (code != SQLITE_OK && code != SQLITE_DONE) {
        index->is_damaged = true;
        open_latest(index);
    }
    return has_memory;
}

/* Notes that the database must be replaced, or that rows are missing in it, after a full disk or a lock. */
static void check(sdphoto_index *index, int code) {
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_INTERRUPT || (code & 0xff) == SQLITE_IOERR)
        index->is_damaged = true;
    else if (code != SQLITE_OK)
        index->has_lost_rows = true;
}

void sdphoto_index_begin(sdphoto_index *index) {
    index->steps = 0;
    if (index->database)
        check(index, sqlite3_exec(index->database, "BEGIN IMMEDIATE", NULL, NULL, NULL));
}

/* Reports that a row can be written. Without a transaction it failed, and its rows are lost: each would wait for the
 * lock, or for the disk. */
static bool begin_row(sdphoto_index *index) {
    index->steps = 0;
    return index->database && !index->is_damaged && !sqlite3_get_autocommit(index->database);
}

void sdphoto_index_put(sdphoto_index *index, const sdphoto_record *record) {
    sqlite3_stmt *put = index->put;
    const sdphoto_info *info = &record->info;
    if (!begin_row(index))
        return;
    /* The parameters have the order of the columns. The path includes its NUL, which read_record requires. */
    sqlite3_bind_text(put, 1, record->identifier, -1, SQLITE_STATIC);
    sqlite3_bind_blob64(put, 2, record->path, strlen(record->path) + 1, SQLITE_STATIC);
    sqlite3_bind_int64(put, 3, (int64_t)record->file.device);
    sqlite3_bind_int64(put, 4, (int64_t)record->file.node);
    sqlite3_bind_int64(put, 5, (int64_t)record->size);
    sqlite3_bind_int64(put, 6, record->modified_ns);
    sqlite3_bind_blob(put, 7, record->digest, sizeof record->digest, SQLITE_STATIC);
    sqlite3_bind_int(put, 8, record->is_known);
    sqlite3_bind_int64(put, 9, record->lost_ns);
    sqlite3_bind_int(put, 10, (int)info->media);
    sqlite3_bind_int(put, 11, (int)info->playback);
    sqlite3_bind_int(put, 12, (int)info->format);
    sqlite3_bind_text(put, 13, info->type, -1, SQLITE_STATIC);
    sqlite3_bind_int64(put, 14, info->size.width);
    sqlite3_bind_int64(put, 15, info->size.height);
    sqlite3_bind_int(put, 16, (int)info->orientation);
    sqlite3_bind_int(put, 17, info->has_date);
    sqlite3_bind_int64(put, 18, info->taken_ns);
    sqlite3_bind_int(put, 19, record->is_shared);
    /* Texts are borrowed until the statement is reset. */
    sqlite3_step(put);
    check(index, sqlite3_reset(put));
}

void sdphoto_index_remove(sdphoto_index *index, const char *identifier) {
    if (!begin_row(index))
        return;
    sqlite3_bind_text(index->drop, 1, identifier, -1, SQLITE_STATIC);
    sqlite3_step(index->drop);
    check(index, sqlite3_reset(index->drop));
}

void sdphoto_index_commit(sdphoto_index *index) {
    /* No transaction is open. */
    if (!index->database || sqlite3_get_autocommit(index->database))
        return;
    int code = sqlite3_exec(index->database, "COMMIT", NULL, NULL, NULL);
    check(index, code);
    if (code != SQLITE_OK)
        sqlite3_exec(index->database, "ROLLBACK", NULL, NULL, NULL);
}
