/* tree.h: a folder tree as a library: tree.c opens and closes it, scan.c scans it, watch.c receives its changes. */
#ifndef SDPHOTO_TREE_H
#define SDPHOTO_TREE_H

#include "index.h"
#include "library.h"

/* A file of the tree, or one that was lost recently. */
typedef struct sdphoto_entry {
    sdphoto_record record; /* the path belongs to the entry */
    uint64_t round;        /* the last scan that found it */
    size_t item;           /* its position in the queue of that scan, from 1; 0: none */
} sdphoto_entry;

typedef struct sdphoto_observer {
    atomic_uint references;
    sdimage_photos_observer_vtable table;
    void *user_data;
    sdimage_destroy_fn destroy;
} sdphoto_observer;

typedef struct sdphoto_tree {
    struct sdimage_photos_library library;
    char *root; /* without "/" at the end */
    int process;

    /* Held during a scan; guards the following members. Acquired before the library's own lock. */
    pthread_mutex_t scanning;
    sdphoto_index index;
    sdphoto_entry **entries;
    size_t count, capacity;
    sdphoto_map by_path, by_identifier; /* present entries; all entries */
    uint64_t round;
    bool needs_rewrite; /* the database is new */

    /* The thread. Only it uses the watches, and only during its scans. */
    pthread_t thread;
    bool has_thread;
    atomic_bool is_stopping;
    int wake, inotify;
    sdphoto_map watches;

    /* Guarded by the library's lock. */
    pthread_cond_t first_finished;
    bool is_first_finished;
    sdimage_status first_status;
    sdphoto_observer *observer;
} sdphoto_tree;

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

/* Updates the table while holding `scanning`, then notifies the observer. */
sdimage_status sdphoto_tree_scan(sdphoto_tree *tree, const sdphoto_scope *scope, sdphoto_progress progress,
                                 sdimage_error **error);

/* Reports that the current thread is scanning the tree. */
bool sdphoto_tree_is_scanned_here(const sdphoto_tree *tree);

/* Returns the observer, referenced; NULL for none. The last release destroys it. */
sdphoto_observer *sdphoto_observer_of(sdphoto_tree *tree);
void sdphoto_observer_drop(sdphoto_observer *observer);

/* Starts the thread, which scans and then waits for changes. Without it each fetch scans. */
void sdphoto_watch_start(sdphoto_tree *tree);
void sdphoto_watch_stop(sdphoto_tree *tree);
/* Watches a folder; called during scans, before the folder is read. */
void sdphoto_watch_folder(sdphoto_tree *tree, const char *folder);

#endif
