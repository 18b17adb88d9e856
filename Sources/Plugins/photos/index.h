/* index.h: the stored index of a tree: one SQLite database in the user's cache, shared by all processes that open the
 * tree.
 *
 * Files are STEM-N.db. A damaged file is left in place, and the process that finds it continues with N + 1. A writer
 * holds STEM.lock. */
#ifndef SDPHOTO_INDEX_H
#define SDPHOTO_INDEX_H

#include "record.h"

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

/* An open index. The lock `scanning` of its tree guards it. */
typedef struct sdphoto_index {
    char *stem;          /* path without generation and extension */
    unsigned generation; /* the N of the file's name, from 1 */
    int lock;            /* descriptor of STEM.lock; -1 if not open */
    sqlite3 *database;   /* NULL if it could not be opened */
    sqlite3_stmt *put;   /* prepared: writes a row; NULL without a database */
    sqlite3_stmt *drop;  /* prepared: removes a row; NULL without a database */
    int64_t seen;        /* SQLite's own count of changes by others */
    unsigned steps;      /* work of SQLite in this call, in progress handler calls */
    bool is_damaged;     /* the next load or scan begins a new generation */
    bool has_lost_rows;  /* rows were not written: the next scan writes all */
    bool is_busy;        /* the last attempt to open or load it failed because another process has locked it */
} sdphoto_index;

/* Opens the index of a library in a folder, which it creates. A database that is busy is opened by the first load.
 * Errors: CACHE_UNUSABLE, NO_MEMORY. */
sdimage_status sdphoto_index_open(sdphoto_index *index, const char *folder, const char *library, sdimage_error **error);
void sdphoto_index_close(sdphoto_index *index);

/* Locks the index for a scan, by one process at a time. False while another process holds the lock. */
bool sdphoto_index_try_lock(sdphoto_index *index);
void sdphoto_index_unlock(sdphoto_index *index);

/* Requires the lock. Reports that others have written, or that a new database was begun, since the last load. */
bool sdphoto_index_has_changed(sdphoto_index *index);

/* Passes each record to `take`, which borrows it. A damaged database is left in place and a new, empty one begun. After
 * a load of a busy database, records are missing. False if memory is exhausted. */
bool sdphoto_index_load(sdphoto_index *index, bool (*take)(void *user_data, const sdphoto_record *record),
                        void *user_data);

/* Write, under the lock, in a transaction. A failure is recorded: the next scan writes all rows again, into a new
 * database if this one is damaged. */
void sdphoto_index_begin(sdphoto_index *index);
void sdphoto_index_put(sdphoto_index *index, const sdphoto_record *record);
void sdphoto_index_remove(sdphoto_index *index, const char *identifier);
void sdphoto_index_commit(sdphoto_index *index);

/* Makes a unique name: 128 random bits as a UUID (RFC 9562, version 4). */
bool sdphoto_new_identifier(char identifier[40]);

#endif
