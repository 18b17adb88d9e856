/* failing.c: a preloaded library that makes calls on files of the cache's folder fail, or ends the process there.
 *
 * FAILING_FOLDER     only calls on files below this folder count
 * FAILING_CALL       number of the call, from 1; 0: calls are only counted
 * FAILING_HOW        once, ever (that one and all later ones), kill (the process ends before the call), torn (in the
 *                    middle of a write; before other calls), after (after the call), power (before the call the power
 *                    is cut: see power.h), journal (FAILING_CALL is a number of bytes: what a journal of SQLite has
 *                    beyond them cannot be written, as on a full disk)
 * FAILING_VARIANT    selects one of the errors that such a call may have
 *
 * The program uses failing_count and failing_stop. */
#include "power.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTORS = 4096, SHORT = -1 };

typedef enum kind { OPENING, NAMING, WRITING, READING, SIZING, LOCKING } kind;

static atomic_bool ours[DESCRIPTORS];
static atomic_long calls;
static atomic_bool is_stopped;
static long wanted;
static unsigned variant;
static char how;
static pthread_mutex_t power = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static size_t folder_length;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("FAILING_FOLDER"), *number = getenv("FAILING_CALL"), *text = getenv("FAILING_HOW");
    if (!path || !realpath(path, folder))
        return;
    folder_length = strlen(folder);
    wanted = number ? atol(number) : 0;
    how = text ? text[0] : 'o';
    variant = (unsigned)(getenv("FAILING_VARIANT") ? atoi(getenv("FAILING_VARIANT")) : 0);
}

__attribute__((visibility("default"))) long failing_count(void) {
    return atomic_load(&calls);
}
__attribute__((visibility("default"))) void failing_stop(void) {
    atomic_store(&is_stopped, true);
}

static bool is_our_path(int at, const char *path) {
    if (!folder_length || !path)
        return false;
    if (path[0] == '/')
        return !strncmp(path, folder, folder_length);
    if (at < 0 || at >= DESCRIPTORS || atomic_load(&ours[at]))
        return at >= 0 && at < DESCRIPTORS;
    /* The library opens the folder from the root, one name at a time. */
    char name[40], whole[2 * PATH_MAX];
    snprintf(name, sizeof name, "/proc/self/fd/%d", at);
    ssize_t length = readlink(name, whole, PATH_MAX);
    if (length <= 0 || (size_t)snprintf(whole + length, sizeof whole - length, "/%s", path) >= sizeof whole - length)
        return false;
    const char *start = length == 1 ? whole + 1 : whole;
    return !strncmp(start, folder, folder_length) && (!start[folder_length] || start[folder_length] == '/');
}

static bool is_our_file(int file) {
    return folder_length && file >= 0 && file < DESCRIPTORS && atomic_load(&ours[file]);
}

static int note(int file, bool is_ours) {
    if (file >= 0 && file < DESCRIPTORS)
        atomic_store(&ours[file], is_ours);
    return file;
}

static int error_of(kind kind) {
    static const int errors[][6] = {
        [OPENING] = {EACCES, EMFILE, EROFS, EIO, ENOSPC, EINTR}, [NAMING] = {EACCES, EROFS, EIO, ENOSPC, EDQUOT, EIO},
        [WRITING] = {ENOSPC, SHORT, EIO, EDQUOT, EINTR, ENOSPC}, [READING] = {EIO, EIO, EIO, EIO, EINTR, EIO},
        [SIZING] = {ENOSPC, EIO, EINTR, EDQUOT, EIO, EROFS},     [LOCKING] = {EIO, EINTR, EACCES, EIO, EINTR, EACCES},
    };
    return errors[kind][variant % 6];
}

/* Runs before a call. Returns 0 to let it happen, an error number, or SHORT. With `*is_last` the process ends after
 * the call. */
static int before(bool is_ours, kind kind, bool *is_last) {
    *is_last = false;
    if (!is_ours || atomic_load(&is_stopped))
        return 0;
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (!wanted || how == 'j' || number < wanted || (number > wanted && how != 'e'))
        return 0;
    if (how == 'p') {
        pthread_mutex_lock(&power);
        power_cut((unsigned)number + variant);
    }
    if (how == 'k' || (how == 't' && kind != WRITING))
        raise(SIGKILL);
    if (how == 't')
        return SHORT;
    if (how == 'a') {
        *is_last = true;
        return 0;
    }
    int error = error_of(kind);
    /* A permanent failure is never an interruption or a short write. */
    return how == 'e' && (error == EINTR || error == SHORT) ? EIO : error;
}

/* True for a write that a full disk refuses a journal. */
static bool is_full(int file, off_t end) {
    static const char suffix[] = "-journal";
    char name[40], path[PATH_MAX];
    if (how != 'j' || end <= wanted || atomic_load(&is_stopped) || !is_our_file(file))
        return false;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path);
    return length >= (ssize_t)strlen(suffix) && !memcmp(path + length - strlen(suffix), suffix, strlen(suffix));
}

/* Serialized, so that the old contents of a page are saved before another thread changes it. */
#define KEEPING(file, offset, length, expression)                                                                      \
    __extension__({                                                                                                    \
        bool is_kept = how == 'p' && is_our_file(file);                                                                \
        if (is_kept) {                                                                                                 \
            pthread_mutex_lock(&power);                                                                                \
            power_keep(file, offset, (off_t)(length));                                                                 \
        }                                                                                                              \
        __typeof__(expression) outcome = (expression);                                                                 \
        if (is_kept)                                                                                                   \
            pthread_mutex_unlock(&power);                                                                              \
        outcome;                                                                                                       \
    })

static int synced(int file, int result) {
    if (how == 'p' && !result && is_our_file(file)) {
        pthread_mutex_lock(&power);
        power_synced(file);
        pthread_mutex_unlock(&power);
    }
    return result;
}

#define REAL(name)                                                                                                     \
    static __typeof__(&name) real;                                                                                     \
    if (!real)                                                                                                         \
    real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define GUARD(is_ours, kind)                                                                                           \
    bool is_last;                                                                                                      \
    int error = before(is_ours, kind, &is_last);                                                                       \
    if (error && error != SHORT) {                                                                                     \
        errno = error;                                                                                                 \
        return -1;                                                                                                     \
    }

#define DONE(expression)                                                                                               \
    __typeof__(expression) result = (expression);                                                                      \
    if (is_last)                                                                                                       \
        raise(SIGKILL);                                                                                                \
    return result

#define EXPORT __attribute__((visibility("default")))

static mode_t mode_of(int flags, va_list arguments) {
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(name)                                                                                                     \
    EXPORT int name(const char *path, int flags, ...) {                                                                \
        REAL(name);                                                                                                    \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        mode_t mode = mode_of(flags, arguments);                                                                       \
        va_end(arguments);                                                                                             \
        bool is_ours = is_our_path(-1, path);                                                                          \
        GUARD(is_ours, OPENING)                                                                                        \
        DONE(note(real(path, flags, mode), is_ours));                                                                  \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                                   \
    EXPORT int name(int at, const char *path, int flags, ...) {                                                        \
        REAL(name);                                                                                                    \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        mode_t mode = mode_of(flags, arguments);                                                                       \
        va_end(arguments);                                                                                             \
        bool is_ours = is_our_path(at, path);                                                                          \
        GUARD(is_ours, OPENING)                                                                                        \
        DONE(note(real(at, path, flags, mode), is_ours));                                                              \
    }
OPENAT(openat)
OPENAT(openat64)

EXPORT int close(int file) {
    REAL(close);
    note(file, false);
    return real(file);
}

EXPORT int mkdirat(int at, const char *path, mode_t mode) {
    REAL(mkdirat);
    GUARD(is_our_path(at, path), NAMING)
    DONE(real(at, path, mode));
}

EXPORT int linkat(int from, const char *old, int to, const char *new, int flags) {
    REAL(linkat);
    GUARD(is_our_path(to, new), NAMING)
    DONE(real(from, old, to, new, flags));
}

EXPORT int renameat(int from, const char *old, int to, const char *new) {
    REAL(renameat);
    GUARD(is_our_path(to, new), NAMING)
    DONE(real(from, old, to, new));
}

EXPORT int unlinkat(int at, const char *path, int flags) {
    REAL(unlinkat);
    GUARD(is_our_path(at, path), NAMING)
    DONE(real(at, path, flags));
}

EXPORT int unlink(const char *path) {
    REAL(unlink);
    GUARD(is_our_path(-1, path), NAMING)
    DONE(real(path));
}

EXPORT ssize_t write(int file, const void *bytes, size_t length) {
    REAL(write);
    GUARD(is_our_file(file), WRITING)
    if (error == SHORT) {
        ssize_t part = real(file, bytes, length / 2);
        if (how == 't')
            raise(SIGKILL);
        return part;
    }
    DONE(KEEPING(file, -1, length, real(file, bytes, length)));
}

#define PWRITE(name)                                                                                                   \
    EXPORT ssize_t name(int file, const void *bytes, size_t length, off_t offset) {                                    \
        REAL(name);                                                                                                    \
        if (is_full(file, offset + (off_t)length)) {                                                                   \
            errno = ENOSPC;                                                                                            \
            return -1;                                                                                                 \
        }                                                                                                              \
        GUARD(is_our_file(file), WRITING)                                                                              \
        if (error == SHORT) {                                                                                          \
            ssize_t part = real(file, bytes, length / 2, offset);                                                      \
            if (how == 't')                                                                                            \
                raise(SIGKILL);                                                                                        \
            return part;                                                                                               \
        }                                                                                                              \
        DONE(KEEPING(file, offset, length, real(file, bytes, length, offset)));                                        \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

EXPORT ssize_t read(int file, void *bytes, size_t length) {
    REAL(read);
    GUARD(is_our_file(file), READING)
    DONE(real(file, bytes, length));
}

#define PREAD(name)                                                                                                    \
    EXPORT ssize_t name(int file, void *bytes, size_t length, off_t offset) {                                          \
        REAL(name);                                                                                                    \
        GUARD(is_our_file(file), READING)                                                                              \
        DONE(real(file, bytes, length, offset));                                                                       \
    }
PREAD(pread)
PREAD(pread64)

#define TRUNCATE(name)                                                                                                 \
    EXPORT int name(int file, off_t length) {                                                                          \
        REAL(name);                                                                                                    \
        GUARD(is_our_file(file), SIZING)                                                                               \
        DONE(KEEPING(file, length, -1, real(file, length)));                                                           \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

#define STATUS(name, type)                                                                                             \
    EXPORT int name(int file, struct type *status) {                                                                   \
        REAL(name);                                                                                                    \
        GUARD(is_our_file(file), READING)                                                                              \
        DONE(real(file, status));                                                                                      \
    }
STATUS(fstat, stat)
STATUS(fstat64, stat64)

EXPORT int fchmod(int file, mode_t mode) {
    REAL(fchmod);
    GUARD(is_our_file(file), NAMING)
    DONE(real(file, mode));
}

EXPORT int fsync(int file) {
    REAL(fsync);
    GUARD(is_our_file(file), SIZING)
    DONE(synced(file, real(file)));
}

EXPORT int fdatasync(int file) {
    REAL(fdatasync);
    GUARD(is_our_file(file), SIZING)
    DONE(synced(file, real(file)));
}

EXPORT int flock(int file, int operation) {
    REAL(flock);
    GUARD(is_our_file(file) && operation != LOCK_UN, LOCKING)
    DONE(real(file, operation));
}

#define CONTROL(name)                                                                                                  \
    EXPORT int name(int file, int command, ...) {                                                                      \
        REAL(name);                                                                                                    \
        va_list arguments;                                                                                             \
        va_start(arguments, command);                                                                                  \
        void *argument = va_arg(arguments, void *);                                                                    \
        va_end(arguments);                                                                                             \
        bool is_lock = command == F_SETLK || command == F_OFD_SETLK || command == F_SETLKW || command == F_OFD_SETLKW; \
        /* Releasing an entire lock does not fail. */                                                                  \
        is_lock = is_lock && ((struct flock *)argument)->l_type != F_UNLCK;                                            \
        GUARD(is_lock &&is_our_file(file), LOCKING)                                                                    \
        int result = real(file, command, argument);                                                                    \
        if (is_last)                                                                                                   \
            raise(SIGKILL);                                                                                            \
        if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && result >= 0)                                         \
            note(result, is_our_file(file));                                                                           \
        return result;                                                                                                 \
    }
CONTROL(fcntl)
CONTROL(fcntl64)

#define MAP(name)                                                                                                      \
    EXPORT void *name(void *address, size_t length, int protection, int flags, int file, off_t offset) {               \
        REAL(name);                                                                                                    \
        bool is_last;                                                                                                  \
        int error = before(!(flags & MAP_ANONYMOUS) && is_our_file(file), READING, &is_last);                          \
        if (error && error != SHORT) {                                                                                 \
            errno = error == EINTR ? ENOMEM : error;                                                                   \
            return MAP_FAILED;                                                                                         \
        }                                                                                                              \
        DONE(real(address, length, protection, flags, file, offset));                                                  \
    }
MAP(mmap)
MAP(mmap64)
