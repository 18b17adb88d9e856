/* CSQLite.h: SQLite, and a file system for it that stays inside one open folder and maps no files. */
#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>
#include <stdbool.h>

/* Opens the database `name`, an existing file, inside an open folder; returns an SQLite code. The descriptor of the
 * folder must stay open as long as the connection. *database may be set on failure too, for sqlite3_errmsg, and must
 * then be closed.
 *
 * The file and its journal are opened relative to the folder, never through links. They must be regular and owned by
 * this user. They are read and written, never mapped: WAL is not available. The contents are not trusted: triggers,
 * views, ATTACH and values over 256 MiB are refused. Locks are compatible with those of every other SQLite program, but
 * belong to the open file and not to the process. */
int csqlite_open(int folder, const char *name, sqlite3 **database);

#endif
