/* scan.h: one scan of a tree, split over three files: scan.c walks through its folders, moves.c finds out what became
 * of the files, entry.c keeps what is known of each. */
#ifndef SDPHOTO_SCAN_H
#define SDPHOTO_SCAN_H

#include <sys/stat.h>

#include "tree.h"

/* A file that is new, or has changed. */
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
    sdphoto_watcher watcher;
    int root;
    char **folders;
    size_t folder_count, folder_capacity;
    sdphoto_map scanned; /* folders whose names were all read */
    char **unread;       /* folders that could not be read: what is below stays as it was known */
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

/* Asked now and then: false where the scan is to end. */
bool sdphoto_scan_goes_on(sdphoto_scan *scan);
/* Takes over the moves that the scope tells of, before the walk. */
void sdphoto_scan_take_moves(sdphoto_scan *scan);
/* Brings the entries in line with what the walk has seen. */
void sdphoto_scan_work_off(sdphoto_scan *scan);

/* --- Entries, under the tree's `scanning`. */

void sdphoto_entry_free(sdphoto_entry *entry);
/* Takes the entry out of the table of paths. */
void sdphoto_entry_leave(sdphoto_tree *tree, const sdphoto_entry *entry);
/* Gives an entry another path, which it takes over; it is there. False when memory is refused. */
bool sdphoto_entry_move(sdphoto_tree *tree, sdphoto_entry *entry, char *path);
/* A new entry of a record, whose path it takes over; NULL when memory is refused. */
sdphoto_entry *sdphoto_entry_add(sdphoto_tree *tree, const sdphoto_record *record, char *path);
/* Writes an entry, and shows it. */
void sdphoto_entry_settle(sdphoto_scan *scan, sdphoto_entry *entry);

/* Whether two records say the same of a file, and whether a file is still as its record says. */
bool sdphoto_record_is_same(const sdphoto_record *a, const sdphoto_record *b);
bool sdphoto_record_is_unchanged(const sdphoto_record *record, const struct stat *status);
void sdphoto_record_note(sdphoto_record *record, const struct stat *status);

/* Takes in what the index has; `scan` may be NULL. False when memory is refused. */
bool sdphoto_tree_load(sdphoto_tree *tree, sdphoto_scan *scan);

#endif
