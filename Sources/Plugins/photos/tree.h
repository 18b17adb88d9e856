/* tree.h: the state of a folder tree as a library. tree_library.c opens and closes it, scan.c scans it, watch.c
 * receives its changes. */
#ifndef SDPHOTO_TREE_H
#define SDPHOTO_TREE_H

#include "index.h"
#include "library.h"
#include "observer.h"

typedef struct sdphoto_entry sdphoto_entry; /* entry.h */

typedef struct sdphoto_tree {
    struct sdimage_photos_library library;
    char *root; /* without "/" at the end */

    /* Held during a scan; guards the following members. Acquired before the library's own lock. */
    pthread_mutex_t scanning;
    sdphoto_index index;
    sdphoto_entry **entries; /* all, in the order in which they were added */
    size_t count, capacity;
    sdphoto_map by_path, by_identifier; /* present entries; all entries */
    uint64_t round;                     /* number of the current scan */
    bool needs_rewrite;                 /* the database is new, or lacks rows */

    /* The thread. Only it uses the watches, and only during its scans. */
    pthread_t thread;
    bool has_thread;
    atomic_bool is_stopping;
    int wake,
        inotify; /* descriptors: an event for batches and the end of the thread, and the watches; -1 if not open */
    sdphoto_map watches; /* by number (folder_watch.c) */

    /* Guarded by the library's lock. */
    pthread_cond_t first_finished;
    bool is_first_finished;
    sdimage_status first_status;           /* result of the thread's first scan */
    sdphoto_load *first_load, **last_load; /* loads that wait for it (waiting.c), linked like the events below */
    sdphoto_observer *observer;
    sdphoto_batch *first_batch, **last_batch; /* posted events; `last_batch`: the link that the next one is stored in */
} sdphoto_tree;

/* Makes the tree of a folder, which it takes over; NULL if memory is exhausted. */
sdphoto_tree *sdphoto_tree_new(const sdphoto_library_kind *kind, char *root);

/* Sets the observer: the function of the library's kind. */
sdimage_status sdphoto_tree_set_observer(sdimage_photos_library *library, const sdimage_photos_library_handler *vtable,
                                         void *user_data, sdimage_destroy_fn destroy, sdimage_error **error);

/* Makes a batch for the events of a scan. NULL without an observer, without a thread that calls it, or if memory is
 * exhausted: events are then lost. */
sdphoto_batch *sdphoto_tree_new_batch(sdphoto_tree *tree);

/* Takes over the batch of a scan and wakes the thread, which calls the observer: events have one order and one thread.
 * Requires `scanning`. Returns a batch without events, which the caller frees without the lock. */
sdphoto_batch *sdphoto_tree_post(sdphoto_tree *tree, sdphoto_batch *batch);
/* Removes the first batch that was posted; NULL for none. */
sdphoto_batch *sdphoto_tree_take_batch(sdphoto_tree *tree);

#endif
