/* scan.h: one scan of a tree, split over three files: scan.c walks the folders, moves.c finds the changes of the files,
 * entry.c stores the entries. */
#ifndef SDPHOTO_SCAN_H
#define SDPHOTO_SCAN_H

#include <sys/stat.h>

#include "tree.h"

/* A new or changed file. */
typedef struct sdphoto_item {
    sdphoto_entry *entry; /* NULL: new */
    char *path;
    struct stat status;
} sdphoto_item;

typedef enum sdphoto_event_kind { SDPHOTO_INSERTED, SDPHOTO_REMOVED, SDPHOTO_CHANGED } sdphoto_event_kind;

typedef struct sdphoto_event {
    sdphoto_event_kind kind;
    sdimage_photos_asset *asset;
} sdphoto_event;

/* One scan. */
typedef struct sdphoto_scan {
    sdphoto_tree *tree;
    const sdphoto_scope *scope;
    sdphoto_progress progress;
    int root;
    char **folders;
    size_t folder_count, folder_capacity;
    sdphoto_map scanned; /* folders that were read completely */
    char **unread;       /* unreadable folders: entries below them stay unchanged */
    size_t unread_count, unread_capacity;
    sdphoto_item *items;
    size_t item_count, item_capacity;
    sdphoto_event *events;
    size_t event_count, event_capacity;
    uint64_t found, read;
    size_t written;
    bool has_observer, is_cancelled, has_memory;
    int root_error;
} sdphoto_scan;

/* Called regularly; false if the scan must end. */
bool sdphoto_scan_continues(sdphoto_scan *scan);
/* Applies the renames of the scope, before the walk. */
void sdphoto_scan_apply_moves(sdphoto_scan *scan);
/* Updates the entries with the results of the walk. */
void sdphoto_scan_process_items(sdphoto_scan *scan);

/* --- Entries; all require the tree's `scanning` lock. */

void sdphoto_entry_free(sdphoto_entry *entry);
/* Removes the entry from the table of paths. */
void sdphoto_entry_remove_path(sdphoto_tree *tree, const sdphoto_entry *entry);
/* Sets the path of an entry, which it takes over, and marks the file as present. False if memory is exhausted. */
bool sdphoto_entry_move(sdphoto_tree *tree, sdphoto_entry *entry, char *path);
/* Adds an entry for a record, and takes over the path; NULL if memory is exhausted. */
sdphoto_entry *sdphoto_entry_add(sdphoto_tree *tree, const sdphoto_record *record, char *path);
/* Writes an entry to the index and publishes it. */
void sdphoto_entry_store(sdphoto_scan *scan, sdphoto_entry *entry);

/* Report that two records are equal, and that a file still matches its record. */
bool sdphoto_record_is_same(const sdphoto_record *a, const sdphoto_record *b);
bool sdphoto_record_is_unchanged(const sdphoto_record *record, const struct stat *status);
void sdphoto_record_note(sdphoto_record *record, const struct stat *status);

/* Loads the entries of the index; `scan` may be NULL. False if memory is exhausted. */
bool sdphoto_tree_load(sdphoto_tree *tree, sdphoto_scan *scan);

#endif
