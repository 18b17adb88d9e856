/* unmapped.h: SQLite without memory mappings of files, and the locks under which a database in WAL mode stays as it is.
 *
 * SQLite maps the index of a write-ahead log (NAME-shm). Truncated by another process, a mapping ends this one with
 * SIGBUS. */
#ifndef SDPHOTO_UNMAPPED_H
#define SDPHOTO_UNMAPPED_H

#include <stdbool.h>

/* Names of file systems for sqlite3_open_v2 that never map a file: with locks, and without any (unix-none). NULL when
 * SQLite has no such file system. A database in WAL mode cannot be opened by them (SQLITE_CANTOPEN), except with
 * "PRAGMA locking_mode = EXCLUSIVE" before it is read: then SQLite keeps the index of the log in the heap. */
const char *sdphoto_unmapped(void);
const char *sdphoto_unmapped_without_locks(void);

/* Read locks of a database in WAL mode (SQLite file format, 2.3): while they are held, other processes append to the
 * log, but neither copy it into the database nor begin it again. They belong to the open file. -1 for what is not
 * locked. */
typedef struct sdphoto_hold {
    int database, index;
} sdphoto_hold;

/* Takes the locks; waits at most so long for a process that copies the log. False when it still does. */
bool sdphoto_hold_take(sdphoto_hold *hold, const char *database, int milliseconds);
void sdphoto_hold_release(sdphoto_hold *hold);

#endif
