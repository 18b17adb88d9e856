/* tree.h: a folder tree as a library: tree.c opens and closes it, scan.c looks what is there, watch.c hears of
 * changes. */
#ifndef SDPHOTO_TREE_H
#define SDPHOTO_TREE_H

#include "index.h"
#include "library.h"

/* A file of the tree, or one that was lost from it a while ago. */
typedef struct sdphoto_entry {
    sdphoto_record record; /* the path is its own */
    uint64_t round;        /* the scan that saw it last */
    size_t item;           /* its place in the queue of that scan, from 1; 0: none */
} sdphoto_entry;

typedef struct sdphoto_observer {
    atomic_uint references;
    sdimage_photos_observer_vtable table;
    void *user_data;
    sdimage_destroy_fn destroy;
} sdphoto_observer;

typedef struct sdphoto_tree {
    struct sdimage_photos_library library;
    char *root; /* without "/" at its end */
    int process;

    /* Held for the length of a scan; guards what follows. Taken before the library's own lock. */
    pthread_mutex_t scanning;
    sdphoto_index index;
    sdphoto_entry **entries;
    size_t count, capacity;
    sdphoto_map by_path, by_identifier; /* those that are there; all */
    uint64_t round;
    bool needs_rewrite; /* the database is a new one */

    /* The thread. Only it touches the watches, and only while it scans. */
    pthread_t thread;
    bool has_thread;
    atomic_bool is_stopping;
    int wake, inotify;
    sdphoto_map watches;

    /* Under the library's lock. */
    pthread_cond_t first_over;
    bool is_first_over;
    sdimage_status first_status;
    sdphoto_observer *observer;
} sdphoto_tree;

/* A file or folder that was renamed while the kernel told of it. */
typedef struct sdphoto_move {
    char *from, *to;
    bool is_folder;
} sdphoto_move;

/* What a scan looks at. */
typedef struct sdphoto_scope {
    char **folders; /* these alone; NULL: all */
    size_t folder_count;
    const sdphoto_move *moves; /* to be taken over first */
    size_t move_count;
    bool is_first;
} sdphoto_scope;

/* Brings the table up to date, under `scanning` while it works; then tells the observer. */
sdimage_status sdphoto_tree_scan(sdphoto_tree *tree, const sdphoto_scope *scope, sdphoto_watcher watcher,
                                 sdimage_error **error);

/* Whether this thread scans the tree just now. */
bool sdphoto_tree_is_scanned_here(const sdphoto_tree *tree);

/* The observer, referenced; NULL when there is none. The last to drop it destroys it. */
sdphoto_observer *sdphoto_observer_of(sdphoto_tree *tree);
void sdphoto_observer_drop(sdphoto_observer *observer);

/* Starts the thread: it scans, then waits for changes. Without one, each fetch scans. */
void sdphoto_watch_start(sdphoto_tree *tree);
void sdphoto_watch_stop(sdphoto_tree *tree);
/* Wants to hear of a folder, on the library's thread, before it is read. */
void sdphoto_watch_folder(sdphoto_tree *tree, const char *folder);

#endif
