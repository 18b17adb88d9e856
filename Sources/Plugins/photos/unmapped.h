/* unmapped.h: SQLite without memory mappings of files, and locks that hold a database in its state.
 *
 * SQLite maps the index of a write-ahead log (NAME-shm). If another process truncates it, access to the mapping ends
 * this process with SIGBUS. */
#ifndef SDPHOTO_UNMAPPED_H
#define SDPHOTO_UNMAPPED_H

#include <stdbool.h>

/* Names of file systems for sqlite3_open_v2 that never map a file, and open only regular files that belong to one
 * database: with locks, and without any (unix-none). NULL if SQLite has no such file system. They cannot open a
 * database in WAL mode (SQLITE_CANTOPEN), except with "PRAGMA locking_mode = EXCLUSIVE" before it is read: then SQLite
 * holds the index of the log in the heap. */
const char *sdphoto_unmapped(void);
const char *sdphoto_unmapped_without_locks(void);

/* Read locks of a database. While they are held, other processes do not write it. In WAL mode (SQLite file format, 2.3)
 * they append to the log, but neither copy it into the database nor restart it. The locks belong to the open file, and
 * not to the process. -1 if not locked. */
typedef struct sdphoto_hold {
    int database, index;
    bool is_locked;
} sdphoto_hold;

/* Takes the locks and waits up to `milliseconds` for a process that writes the database. False if it still does. Where
 * open files have no locks, true with the files open and `is_locked` false. */
bool sdphoto_hold_take(sdphoto_hold *hold, const char *database, int milliseconds);
void sdphoto_hold_release(sdphoto_hold *hold);

#endif
