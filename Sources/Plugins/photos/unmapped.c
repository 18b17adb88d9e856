/* unmapped.c: file systems (VFS) of SQLite without memory mappings, and locks on its files (see unmapped.h). */
#include "unmapped.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

/* --- File systems. */

/* A wrapper of one of SQLite's file systems. Its files get a method table of version 1, which has no mapping
 * methods. */
typedef struct file_system {
    sqlite3_vfs own, *base;
} file_system;

static file_system with_locks, without_locks;

/* Reports that SQLite may open a file. It waits for the other end of a FIFO. The super-journal that a journal names may
 * be any file of the user: SQLite reads it, and then removes it. */
static bool may_open(const char *name, int flags) {
    struct stat status;
    /* Temporary files have no name. */
    return !(flags & SQLITE_OPEN_SUPER_JOURNAL) && (!name || stat(name, &status) != 0 || S_ISREG(status.st_mode));
}

/* The method xOpen of both file systems. The base opens the file; then its method table is replaced by a copy. */
static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
    file_system *system = (file_system *)vfs;
    /* A file without methods is not closed. */
    file->pMethods = NULL;
    if (!may_open(name, flags))
        return SQLITE_CANTOPEN;
    int code = system->base->xOpen(vfs, name, file, flags, out_flags);
    if (file->pMethods) {
        /* Stored after the file itself, because files of one file system may have different tables. */
        sqlite3_io_methods *methods = (sqlite3_io_methods *)((char *)file + system->base->szOsFile);
        *methods = *file->pMethods;
        methods->iVersion = 1;
        file->pMethods = methods;
    }
    return code;
}

/* Registers a file system that differs from `base` in xOpen, and in room for the copy behind each file. */
static void add_file_system(file_system *system, const char *base, const char *name) {
    system->base = sqlite3_vfs_find(base);
    if (!system->base || system->base->szOsFile % (int)_Alignof(sqlite3_io_methods) != 0)
        return;
    system->own = *system->base;
    system->own.pNext = NULL;
    system->own.zName = name;
    system->own.szOsFile += (int)sizeof(sqlite3_io_methods);
    system->own.xOpen = open_file;
    if (sqlite3_vfs_register(&system->own, 0) != SQLITE_OK)
        system->own.zName = NULL;
}

/* Called once, before the first database is opened. */
static void add_file_systems(void) {
    if (sqlite3_initialize() != SQLITE_OK)
        return;
    add_file_system(&with_locks, "unix", "sdimage-unmapped");
    add_file_system(&without_locks, "unix-none", "sdimage-unmapped-none");
}

/* Returns the name of a file system; NULL if it could not be registered. */
static const char *name_of(const file_system *system) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_file_systems);
    return system->own.zName;
}

const char *sdphoto_unmapped(void) {
    return name_of(&with_locks);
}

const char *sdphoto_unmapped_without_locks(void) {
    return name_of(&without_locks);
}

/* --- Locks. */

/* The bytes that every SQLite locks: https://www.sqlite.org/src/file?name=src/os.h and os_unix.c (UNIX_SHM_BASE). A
 * writer locks the pending byte of the database and then all shared ones, and so does the last connection in WAL mode
 * that closes. A checkpoint locks the first reader's byte of the index; a restart of the log locks all others. */
enum { PENDING = 0x40000000, SHARED_FIRST = 0x40000002, SHARED_SIZE = 510, FIRST_READER = 123, LAST_READER = 127 };
enum { PAUSE_MS = 2 };

/* Takes a read lock that belongs to the open file (F_OFD_SETLK), unlike those of SQLite, which belong to the process.
 * False with EAGAIN or EACCES if another one holds a write lock, with others if the file system or the kernel has no
 * such locks (fcntl_locking(2)). */
static bool lock_bytes(int descriptor, off_t start, off_t length) {
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    int result;
    do
        result = fcntl(descriptor, F_OFD_SETLK, &lock);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

/* Opens a regular file; -1 for others. Non-blocking, because opening a FIFO would wait. */
static int open_for_locks(const char *path) {
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor >= 0 && (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

/* Takes all locks; those taken stay if one fails. A file that is missing needs no lock. The pending byte is first, as
 * for SQLite. It stays locked: a writer that has it would wait for this reader, whose connection would wait for it. */
static bool try_locks(sdphoto_hold *hold) {
    return (hold->database < 0 ||
            (lock_bytes(hold->database, PENDING, 1) && lock_bytes(hold->database, SHARED_FIRST, SHARED_SIZE))) &&
           (hold->index < 0 || (lock_bytes(hold->index, FIRST_READER, 1) && lock_bytes(hold->index, LAST_READER, 1)));
}

bool sdphoto_hold_take(sdphoto_hold *hold, const char *database, int milliseconds) {
    const struct timespec pause = {0, PAUSE_MS * 1000000};
    char *index = sdphoto_join(database, "-shm", NULL);
    hold->database = open_for_locks(database);
    hold->index = index ? open_for_locks(index) : -1;
    free(index);
    for (int pauses = milliseconds / PAUSE_MS; pauses > 0; pauses--) {
        hold->is_locked = try_locks(hold);
        if (hold->is_locked || (errno != EAGAIN && errno != EACCES))
            return true;
        nanosleep(&pause, NULL);
    }
    sdphoto_hold_release(hold);
    return false;
}

void sdphoto_hold_release(sdphoto_hold *hold) {
    /* Closing the files releases the locks. */
    if (hold->database >= 0)
        close(hold->database);
    if (hold->index >= 0)
        close(hold->index);
    *hold = (sdphoto_hold){-1, -1, false};
}
