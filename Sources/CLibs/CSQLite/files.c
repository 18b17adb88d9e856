/* files.c: a file system for SQLite inside an open folder.
 *
 * SQLite's built-in file system opens paths, which another user may replace between a check and its use. It also maps
 * the index of a write-ahead log, which ends the process if another one truncates that file. This file system opens
 * names relative to a descriptor and has no mapping methods (version 1 of sqlite3_io_methods), so SQLite cannot map
 * files even if a database requests it.
 *
 * SQLite writes one page at a time, and a page of the journal in three parts. Writes that follow each other in a file
 * are gathered in a buffer and reach the system together.
 *
 * A connection and its files are used by one thread at a time (SQLITE_OPEN_NOMUTEX). Each function of `methods` and
 * `folders` implements the method that it is assigned to (sqlite3_io_methods, sqlite3_vfs). Most return an SQLite code.
 *
 * Locks are those of the documentation of SQLite (lockingv3.html), as open-file-description locks: POSIX locks of a
 * process would be lost when it closes any descriptor of the file. */
#define _GNU_SOURCE
#include "CSQLite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "csystem.h"

/* The bytes that every SQLite locks: https://www.sqlite.org/src/file?name=src/os.h */
enum {
    PENDING_BYTE = 0x40000000,
    RESERVED_BYTE = PENDING_BYTE + 1,
    SHARED_FIRST = PENDING_BYTE + 2,
    SHARED_SIZE = 510
};
enum { LONGEST_NAME = 64, LONGEST_PATH = LONGEST_NAME + 16 };
/* Larger buffers save no more time: most of it is the first use of each page of the file. */
enum { GATHERED_CAPACITY = 128 << 10 };

/* An open database or journal. SQLite allocates it; `base` must be first. */
typedef struct folder_file {
    sqlite3_file base;
    /* Bytes that SQLite has written and the system does not have yet; allocated by the first write. */
    char *gathered;
    int gathered_count;            /* bytes in `gathered` */
    sqlite3_int64 gathered_offset; /* their offset in the file */
    struct folder_file *journal;   /* the open journal of a database */
    struct folder_file *database;  /* the database of a journal */
    int descriptor;
    int folder; /* borrowed from the caller of csqlite_open */
    int level;  /* SQLITE_LOCK_… */
    bool is_database;
    bool is_new;   /* its name is not synced yet */
    pid_t process; /* the process that opened the file */
} folder_file;

static folder_file *of(sqlite3_file *file) {
    return (folder_file *)file;
}

/* Splits a file name of the form "/DESCRIPTOR/NAME"; SQLite appends the suffix of the journal. NULL for other names. */
static const char *split(const char *path, int *folder) {
    char *end = NULL;
    if (!path || path[0] != '/')
        return NULL;
    long number = strtol(path + 1, &end, 10);
    if (end == path + 1 || *end != '/' || number < 0 || number > 0x7fffffff || strchr(end + 1, '/'))
        return NULL;
    *folder = (int)number;
    return end + 1;
}

/* Reports that a name ends with a suffix. */
static bool has_suffix(const char *name, const char *suffix) {
    size_t length = strlen(name), tail = strlen(suffix);
    return length >= tail && !strcmp(name + length - tail, suffix);
}

/* MARK: Contents */

/* Writes all bytes at an offset. SQLITE_FULL if no space is left. */
static int write_through(folder_file *file, const char *bytes, int amount, sqlite3_int64 offset) {
    while (amount > 0) {
        ssize_t count = pwrite(file->descriptor, bytes, (size_t)amount, offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count == 0 || errno == ENOSPC || errno == EDQUOT ? SQLITE_FULL : SQLITE_IOERR_WRITE;
        bytes += count;
        offset += count;
        amount -= (int)count;
    }
    return SQLITE_OK;
}

/* Writes what was gathered. The original of a page is in the journal before its new contents are in the database: a
 * process that ends between two writes leaves a journal that restores all pages.
 *
 * If this fails, the transaction does. New contents are dropped: a rollback restores these pages. Originals are kept,
 * and each further call fails until they are written: SQLite, which has changed the pages in its cache, cannot roll
 * back without them, and must not regard the changed pages as restored. */
static int write_gathered(folder_file *file) {
    int count = file->gathered_count;
    /* A forked child shares the open files, perhaps in the middle of a transaction of its parent. */
    if (count && file->process != getpid())
        return SQLITE_IOERR_WRITE;
    int code = file->journal ? write_gathered(file->journal) : SQLITE_OK;
    if (!code && count)
        code = write_through(file, file->gathered, count, file->gathered_offset);
    if (!code || file->is_database)
        file->gathered_count = 0;
    return code;
}

/* Gathers bytes that follow those before; any others cause a write of what was gathered. */
static int file_write(sqlite3_file *handle, const void *buffer, int amount, sqlite3_int64 offset) {
    folder_file *file = of(handle);
    bool follows = offset == file->gathered_offset + file->gathered_count;
    if (file->gathered_count && (!follows || amount > GATHERED_CAPACITY - file->gathered_count)) {
        int code = write_gathered(file);
        if (code)
            return code;
    }
    if (!file->gathered)
        file->gathered = malloc(GATHERED_CAPACITY);
    /* Without memory for the buffer, and for more bytes than it holds, the bytes are written at once. */
    if (!file->gathered || amount > GATHERED_CAPACITY) {
        int code = write_gathered(file);
        return code ? code : write_through(file, buffer, amount, offset);
    }
    if (!file->gathered_count)
        file->gathered_offset = offset;
    memcpy(file->gathered + file->gathered_count, buffer, (size_t)amount);
    file->gathered_count += amount;
    return SQLITE_OK;
}

/* Writes what is left, and closes the file. */
static int file_close(sqlite3_file *handle) {
    folder_file *file = of(handle);
    /* In a forked child the descriptor was closed already and may belong to another file. */
    if (file->process == getpid()) {
        /* Without the originals, the new contents must not be written. */
        if (write_gathered(file) && file->database)
            file->database->gathered_count = 0;
        if (file->is_database)
            csys_unwatch_fork(file->descriptor);
        close(file->descriptor);
    }
    if (file->database)
        file->database->journal = NULL;
    free(file->gathered);
    return SQLITE_OK;
}

/* Reads bytes; those that were gathered are written first, so that the file has them. */
static int file_read(sqlite3_file *handle, void *buffer, int amount, sqlite3_int64 offset) {
    char *bytes = buffer;
    int code = write_gathered(of(handle));
    if (code)
        return code;
    while (amount > 0) {
        ssize_t count = pread(of(handle)->descriptor, bytes, (size_t)amount, offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return SQLITE_IOERR_READ;
        /* Bytes beyond the end are zeros: SQLite requires it of short reads. */
        if (count == 0) {
            memset(bytes, 0, (size_t)amount);
            return SQLITE_IOERR_SHORT_READ;
        }
        bytes += count;
        offset += count;
        amount -= (int)count;
    }
    return SQLITE_OK;
}

/* Cuts the file off at a size. */
static int file_truncate(sqlite3_file *handle, sqlite3_int64 size) {
    folder_file *file = of(handle);
    /* Bytes that would be cut off need not be written. */
    if (file->gathered_offset >= size)
        file->gathered_count = 0;
    int code = write_gathered(file);
    while (!code && ftruncate(file->descriptor, size)) {
        if (errno != EINTR)
            code = SQLITE_IOERR_TRUNCATE;
    }
    return code;
}

/* Waits until the device has a file: its data and size, or all metadata. */
static int sync_descriptor(int descriptor, bool is_data_only) {
    while (is_data_only ? fdatasync(descriptor) : fsync(descriptor)) {
        if (errno != EINTR)
            return SQLITE_IOERR_FSYNC;
    }
    return SQLITE_OK;
}

/* Writes what was gathered, and waits until the device has the contents and, for a new file, its name. */
static int file_sync(sqlite3_file *handle, int flags) {
    folder_file *file = of(handle);
    int code = write_gathered(file);
    if (!code)
        code = sync_descriptor(file->descriptor, flags & SQLITE_SYNC_DATAONLY);
    if (code || !file->is_new)
        return code;
    /* A new file survives a crash only if its entry in the folder is synced, too. */
    code = sync_descriptor(file->folder, false);
    file->is_new = code != SQLITE_OK;
    return code;
}

/* Stores the size, that of gathered bytes included. */
static int file_size(sqlite3_file *handle, sqlite3_int64 *size) {
    struct stat status;
    int code = write_gathered(of(handle));
    if (code)
        return code;
    if (fstat(of(handle)->descriptor, &status))
        return SQLITE_IOERR_FSTAT;
    *size = status.st_size;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *handle, int operation, void *argument) {
    (void)argument;
    /* Sent before the journal is emptied, which commits, also where nothing is synced:
     * https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html */
    return operation == SQLITE_FCNTL_SYNC ? write_gathered(of(handle)) : SQLITE_NOTFOUND;
}

/* MARK: Locks */

/* Sets or removes a lock of the open file (fcntl(2), F_OFD_SETLK), without waiting. SQLITE_BUSY if another connection
 * holds it. */
static int set_lock(folder_file *file, short type, off_t start, off_t length) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    while (fcntl(file->descriptor, F_OFD_SETLK, &lock)) {
        if (errno == EINTR)
            continue;
        if (errno == EAGAIN || errno == EACCES || errno == ENOLCK || errno == EBUSY)
            return SQLITE_BUSY;
        return type == F_UNLCK ? SQLITE_IOERR_UNLOCK : SQLITE_IOERR_LOCK;
    }
    return SQLITE_OK;
}

/* Returns in *is_locked if another connection holds the lock of a byte for writing. */
static int find_writer(folder_file *file, off_t byte, bool *is_locked) {
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    while (fcntl(file->descriptor, F_OFD_GETLK, &lock)) {
        if (errno != EINTR)
            return errno == ENOLCK ? SQLITE_BUSY : SQLITE_IOERR_CHECKRESERVEDLOCK;
    }
    *is_locked = lock.l_type != F_UNLCK;
    return SQLITE_OK;
}

static int lock_shared(folder_file *file) {
    /* A writer that holds this byte waits for readers to end: no reader may start. SQLite locks it for a moment;
     * looking is enough, because the range below alone excludes a writer. */
    bool is_pending = true;
    int code = find_writer(file, PENDING_BYTE, &is_pending);
    if (code || is_pending)
        return code ? code : SQLITE_BUSY;
    return set_lock(file, F_RDLCK, SHARED_FIRST, SHARED_SIZE);
}

/* Raises the lock to a level: SHARED to read, RESERVED to prepare changes, EXCLUSIVE to write the database; EXCLUSIVE
 * passes PENDING, which keeps out further readers. */
static int file_lock(sqlite3_file *handle, int level) {
    folder_file *file = of(handle);
    int code = SQLITE_OK;
    if (file->level >= level)
        return SQLITE_OK;
    if (level == SQLITE_LOCK_SHARED) {
        code = lock_shared(file);
    } else if (level == SQLITE_LOCK_RESERVED) {
        code = set_lock(file, F_WRLCK, RESERVED_BYTE, 1);
    } else {
        /* PENDING is kept if readers remain: they end, and the next attempt succeeds. */
        if (file->level < SQLITE_LOCK_PENDING) {
            code = set_lock(file, F_WRLCK, PENDING_BYTE, 1);
            if (code)
                return code;
            file->level = SQLITE_LOCK_PENDING;
        }
        code = set_lock(file, F_WRLCK, SHARED_FIRST, SHARED_SIZE);
    }
    if (!code)
        file->level = level;
    return code;
}

/* Lowers the lock to SHARED or NONE. What was gathered must be in the file before other connections can read it. */
static int file_unlock(sqlite3_file *handle, int level) {
    folder_file *file = of(handle);
    if (file->level <= level)
        return SQLITE_OK;
    /* The lock is released even if the write fails; the failure is returned afterwards. */
    int written = write_gathered(file), code;
    if (level == SQLITE_LOCK_SHARED) {
        code = set_lock(file, F_RDLCK, SHARED_FIRST, SHARED_SIZE);
        if (code)
            return SQLITE_IOERR_RDLOCK;
        code = set_lock(file, F_UNLCK, PENDING_BYTE, 2);
    } else {
        code = set_lock(file, F_UNLCK, PENDING_BYTE, 2 + SHARED_SIZE);
    }
    if (!code)
        file->level = level;
    return code ? code : written;
}

/* Reports that some connection holds the lock RESERVED. */
static int file_check_reserved(sqlite3_file *handle, int *is_reserved) {
    folder_file *file = of(handle);
    bool is_locked = file->level >= SQLITE_LOCK_RESERVED;
    int code = is_locked ? SQLITE_OK : find_writer(file, RESERVED_BYTE, &is_locked);
    *is_reserved = is_locked;
    return code;
}

/* MARK: Properties */

/* The smallest unit of a write, in bytes. */
static int file_sector(sqlite3_file *handle) {
    (void)handle;
    return 4096;
}

/* A write does not change bytes beside it, even if power fails. */
static int file_characteristics(sqlite3_file *handle) {
    (void)handle;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_characteristics,
};

/* MARK: The folder */

/* Returns an SQLite code that makes the index start again if the file does not belong to this cache. */
static int check_file(int descriptor, bool is_database) {
    struct stat status;
    if (fstat(descriptor, &status))
        return SQLITE_IOERR_FSTAT;
    if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 022))
        return SQLITE_NOTADB;
    unsigned char version;
    /* The read version is at this offset of the header: 2 means a write-ahead log. */
    if (is_database && pread(descriptor, &version, 1, 19) == 1 && version > 1)
        return SQLITE_NOTADB;
    return SQLITE_OK;
}

/* Opens an existing database, or opens or makes a journal. Refuses all other files. */
static int folder_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *handle, int flags, int *out_flags) {
    (void)vfs;
    folder_file *file = of(handle);
    int folder = -1;
    bool is_database = flags & SQLITE_OPEN_MAIN_DB, is_new = false;
    const char *name = split(path, &folder);
    memset(file, 0, sizeof *file);
    if (!name || !(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL)))
        return SQLITE_CANTOPEN;
    /* Refuses links, and does not wait for a FIFO or take over a terminal. */
    int how = (flags & SQLITE_OPEN_READONLY ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int descriptor;
    do
        descriptor = openat(folder, name, how);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0 && errno == ENOENT && (flags & SQLITE_OPEN_CREATE) && !is_database) {
        do
            descriptor = openat(folder, name, how | O_CREAT, 0600);
        while (descriptor < 0 && errno == EINTR);
        is_new = true;
    }
    if (descriptor < 0)
        /* A link, a socket, a folder: not the database that this library has made. */
        return errno == ELOOP || errno == ENXIO || errno == EISDIR ? SQLITE_NOTADB : SQLITE_CANTOPEN;
    int code = check_file(descriptor, is_database);
    if (code) {
        close(descriptor);
        return code;
    }
    *file = (folder_file){.base = {&methods},
                          .descriptor = descriptor,
                          .folder = folder,
                          .level = SQLITE_LOCK_NONE,
                          .is_database = is_database,
                          .is_new = is_new,
                          .process = getpid()};
    if (!is_database) {
        file->database = of(sqlite3_database_file_object(path));
        file->database->journal = file;
    }
    /* Otherwise a child would keep holding the locks of a dead parent. */
    if (is_database)
        csys_watch_fork(descriptor);
    if (out_flags)
        *out_flags = flags;
    return SQLITE_OK;
}

/* Removes a journal; no other file is ever removed. */
static int folder_delete(sqlite3_vfs *vfs, const char *path, int sync) {
    (void)vfs;
    int folder = -1;
    const char *name = split(path, &folder);
    if (!name || !has_suffix(name, "-journal"))
        return SQLITE_IOERR_DELETE;
    if (unlinkat(folder, name, 0))
        return errno == ENOENT ? SQLITE_IOERR_DELETE_NOENT : SQLITE_IOERR_DELETE;
    return sync ? sync_descriptor(folder, false) : SQLITE_OK;
}

/* Reports that a journal exists. The flags, which distinguish existence from rights, are ignored. */
static int folder_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    (void)vfs, (void)flags;
    int folder = -1;
    struct stat status;
    const char *name = split(path, &folder);
    *result = 0;
    /* Databases of this kind have no write-ahead log. */
    if (!name || has_suffix(name, "-wal"))
        return SQLITE_OK;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? SQLITE_OK : SQLITE_IOERR_ACCESS;
    /* A finished transaction leaves an empty journal. */
    *result = !S_ISREG(status.st_mode) || status.st_size > 0;
    return SQLITE_OK;
}

/* Names are complete already. */
static int folder_full_path(sqlite3_vfs *vfs, const char *path, int capacity, char *full) {
    (void)vfs;
    size_t length = strlen(path);
    if (length >= (size_t)capacity)
        return SQLITE_CANTOPEN;
    memcpy(full, path, length + 1);
    return SQLITE_OK;
}

/* Fills bytes with random numbers; returns the number of bytes. */
static int folder_random(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    ssize_t filled = getrandom(bytes, (size_t)count, GRND_NONBLOCK);
    return filled < 0 ? 0 : (int)filled;
}

static int folder_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    usleep((useconds_t)microseconds);
    return microseconds;
}

/* Stores the time as a Julian day: days since noon of November 24, 4714 BC. */
static int folder_time(sqlite3_vfs *vfs, double *julian) {
    (void)vfs;
    *julian = 2440587.5 + (double)time(NULL) / 86400;
    return SQLITE_OK;
}

static int folder_last_error(sqlite3_vfs *vfs, int size, char *text) {
    (void)vfs, (void)size, (void)text;
    return errno;
}

static sqlite3_vfs folders = {
    .iVersion = 1,
    .szOsFile = sizeof(folder_file),
    .mxPathname = LONGEST_PATH,
    .zName = "sdimage-folder",
    .xOpen = folder_open,
    .xDelete = folder_delete,
    .xAccess = folder_access,
    .xFullPathname = folder_full_path,
    .xRandomness = folder_random,
    .xSleep = folder_sleep,
    .xCurrentTime = folder_time,
    .xGetLastError = folder_last_error,
};

static void register_folders(void) {
    sqlite3_vfs_register(&folders, 0);
}

int csqlite_open(int folder, const char *name, sqlite3 **database) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_folders);
    char path[LONGEST_PATH];
    *database = NULL;
    /* SQLite appends "-journal" to the name. */
    if (strlen(name) > LONGEST_NAME - 10 || snprintf(path, sizeof path, "/%d/%s", folder, name) >= (int)sizeof path)
        return SQLITE_CANTOPEN;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    int code = sqlite3_open_v2(path, database, flags, folders.zName);
    if (code)
        return code;
    /* The contents are not trusted: a schema must not run code. */
    static const int settings[][2] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        sqlite3_db_config(*database, settings[i][0], settings[i][1], NULL);
    sqlite3_limit(*database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(*database, SQLITE_LIMIT_LENGTH, 256 << 20);
    return SQLITE_OK;
}
