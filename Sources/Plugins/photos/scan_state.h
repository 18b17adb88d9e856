/* scan_state.h: the state of one scan of a tree. */
#ifndef SDPHOTO_SCAN_STATE_H
#define SDPHOTO_SCAN_STATE_H

#include <sys/stat.h>

#include "entry.h"

/* A rename of a file or folder reported by the kernel. */
typedef struct sdphoto_move {
    char *from, *to;
    bool is_folder;
} sdphoto_move;

/* The scope of a scan. */
typedef struct sdphoto_scope {
    char **folders; /* only these; NULL: all */
    size_t folder_count;
    const sdphoto_move *moves; /* applied first */
    size_t move_count;
    bool is_first;
} sdphoto_scope;

/* A new or changed file. */
typedef struct sdphoto_item {
    sdphoto_entry *entry; /* NULL: new */
    char *path;
    struct stat status;
} sdphoto_item;

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
    sdphoto_updates updates;
    uint64_t found, read;
    bool is_cancelled;
    int root_error;
} sdphoto_scan;

/* Called regularly; false if the scan must end. */
bool sdphoto_scan_continues(sdphoto_scan *scan);

/* Frees the members. */
void sdphoto_scan_close(sdphoto_scan *scan);

#endif
