/* index.h: what is kept of a tree between two programs: one SQLite database in the user's cache, shared by all who open
 * the tree.
 *
 * Files are STEM-N.db: a damaged one stays where it is, and its finder goes on with N + 1. Who writes holds STEM.lock.
 */
#ifndef SDPHOTO_INDEX_H
#define SDPHOTO_INDEX_H

#include "asset.h"

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

typedef struct sdphoto_index {
    char *stem;
    unsigned generation;
    int lock;
    sqlite3 *database;
    sqlite3_stmt *put;
    int64_t seen;   /* the database's own count of changes by others */
    unsigned steps; /* of SQLite in this call, in units of the progress handler */
    bool is_damaged;
} sdphoto_index;

/* A file as it was seen last. */
typedef struct sdphoto_record {
    char identifier[40];
    const char *path; /* relative to the library; where it was last, for one that is lost */
    uint64_t device, node, size;
    int64_t modified_ns;
    uint8_t digest[16];
    bool is_known;   /* it could be read */
    int64_t lost_ns; /* when it was missed first; 0: it is there */
    sdphoto_facts facts;
    bool is_shared;
} sdphoto_record;

/* Opens the index of a library in a folder, which is made. Errors: CACHE_UNUSABLE, NO_MEMORY. */
sdimage_status sdphoto_index_open(sdphoto_index *index, const char *folder, const char *library, sdimage_error **error);
void sdphoto_index_close(sdphoto_index *index);

/* For the length of a scan, one process at a time. False while another one has it. */
bool sdphoto_index_try_lock(sdphoto_index *index);
void sdphoto_index_unlock(sdphoto_index *index);

/* Under the lock: whether others have written, or a new database was begun, since the last load. */
bool sdphoto_index_has_news(sdphoto_index *index);

/* All records, each lent for the call of `take`. A damaged database is left, and a new one begun: then there are none.
 * False where memory is refused. */
bool sdphoto_index_load(sdphoto_index *index, bool (*take)(void *user_data, const sdphoto_record *record),
                        void *user_data);

/* Writes, under the lock. A failure is kept for later: the next scan begins a new database. */
void sdphoto_index_begin(sdphoto_index *index);
void sdphoto_index_put(sdphoto_index *index, const sdphoto_record *record);
void sdphoto_index_forget_lost(sdphoto_index *index, int64_t before_ns);
void sdphoto_index_commit(sdphoto_index *index);

/* A name that nobody else has: 128 random bits as a UUID (RFC 9562, version 4). */
bool sdphoto_new_identifier(char identifier[40]);

#endif
