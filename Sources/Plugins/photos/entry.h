/* entry.h: the table of a tree: an entry for each file, by path and by identifier. All functions but `free` require
 * the tree's `scanning` lock. */
#ifndef SDPHOTO_ENTRY_H
#define SDPHOTO_ENTRY_H

#include "tree.h"

/* A file of the tree, or a photo that was lost recently. */
struct sdphoto_entry {
    sdphoto_record record; /* the path belongs to the entry */
    uint64_t round;        /* the last scan that found it */
    size_t item;           /* its position in the queue of that scan, from 1; 0: none */
};

/* The changes of a scan to the entries. */
typedef struct sdphoto_updates {
    sdphoto_batch *batch; /* receives the events; NULL without an observer */
    size_t written;       /* number of rows */
    bool has_memory;
} sdphoto_updates;

/* Frees an entry; its keys in the tables become invalid. Needs no lock. */
void sdphoto_entry_free(sdphoto_entry *entry);
/* Removes the entry from the table of paths. */
void sdphoto_entry_remove_path(sdphoto_tree *tree, const sdphoto_entry *entry);
/* Sets the path of an entry, which it takes over, and marks the file as present. False if memory is exhausted. */
bool sdphoto_entry_move(sdphoto_tree *tree, sdphoto_entry *entry, char *path);
/* Adds an entry for a record, and takes over the path; NULL if memory is exhausted. */
sdphoto_entry *sdphoto_entry_add(sdphoto_tree *tree, const sdphoto_record *record, char *path);
/* Writes an entry to the index and publishes it. */
void sdphoto_entry_store(sdphoto_tree *tree, sdphoto_entry *entry, sdphoto_updates *updates);

/* Removes the entries of lost files that will not be continued, and their rows: photos that were lost before a time,
 * and all other files, whose identifiers are not visible to programs. */
void sdphoto_entries_forget(sdphoto_tree *tree, int64_t before_ns, sdphoto_updates *updates);

/* Loads the entries of the index; `updates` may be NULL. False if memory is exhausted. */
bool sdphoto_entries_load(sdphoto_tree *tree, sdphoto_updates *updates);

#endif
