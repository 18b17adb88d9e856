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
    bool is_first; /* the first scan of the tree's thread: no events */
} sdphoto_scope;

/* A new or changed file. */
typedef struct sdphoto_item {
    sdphoto_entry *entry; /* NULL: new */
    char *path;
    struct stat status; /* state in the file system when it was found */
} sdphoto_item;

/* One scan. */
typedef struct sdphoto_scan {
    sdphoto_tree *tree;
    const sdphoto_scope *scope;
    sdphoto_progress progress;
    int root;       /* descriptor of the tree's folder; -1 if not open */
    char **folders; /* folders still to be read, a stack */
    size_t folder_count, folder_capacity;
    sdphoto_map scanned; /* folders that were read completely */
    sdphoto_map unread;  /* unreadable folders: entries below them stay unchanged */
    sdphoto_item *items; /* files to examine, in the order of the walk */
    size_t item_count, item_capacity;
    sdphoto_updates updates;
    uint64_t found, read; /* for the progress: files found, and files whose content was read */
    bool is_cancelled;
    int root_error; /* errno of the tree's folder; 0: it was read */
} sdphoto_scan;

/* Called regularly; false if the scan must end. */
bool sdphoto_scan_continues(sdphoto_scan *scan);

/* Frees the members. */
void sdphoto_scan_close(sdphoto_scan *scan);

#endif
