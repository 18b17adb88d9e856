/* scan.c: one scan of a tree (see scan.h), by the tree's thread or by a fetch. Under `scanning`:
 *
 * 1. The file lock of the index keeps other processes from scanning at the same time.
 * 2. Rows that other processes have written are loaded, so that a scan finds little to do after theirs.
 * 3. Renames of the kernel are applied (moves.c), folders are read (walk.c), and changed files examined (moves.c).
 * 4. Changes go to the table of assets at once, and to the index in transactions.
 * 5. The events are posted to the tree's thread, in the order of the scans. */
#include "scan.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "fail.h"
#include "moves.h"
#include "support.h"
#include "walk.h"

/* Limits: wait for the scan of another process (LOCK_STEPS steps of LOCK_STEP_MS); time for which lost photos are
 * remembered. */
enum { LOCK_STEP_MS = 20, LOCK_STEPS = 3000 };
static const int64_t REMEMBERED_NS = (int64_t)90 * 24 * 3600 * 1000000000;

/* Acquires the lock of the index; false after a minute, or if the scan must end. */
static bool wait_for_lock(sdphoto_scan *scan) {
    for (int i = 0; i < LOCK_STEPS; i++) {
        if (sdphoto_index_try_lock(&scan->tree->index))
            return true;
        /* Polled, because no call that waits for the lock of another process can be interrupted. */
        poll(NULL, 0, LOCK_STEP_MS);
        if (!sdphoto_scan_continues(scan))
            return false;
    }
    return false;
}

/* Loads the rows of other processes. A new generation is empty: all entries are written to it. */
static void reload_index(sdphoto_scan *scan) {
    sdphoto_tree *tree = scan->tree;
    unsigned generation = tree->index.generation;
    if (sdphoto_index_has_changed(&tree->index)) {
        if (!sdphoto_entries_load(tree, &scan->updates))
            scan->updates.has_memory = false;
    }
    tree->needs_rewrite = tree->needs_rewrite || generation != tree->index.generation;
}

/* Performs the scan. Requires `scanning`. */
static sdimage_status scan_locked(sdphoto_scan *scan, sdimage_error **error) {
    sdphoto_tree *tree = scan->tree;
    if (!wait_for_lock(scan))
        return scan->is_cancelled ? sdcs_fail(error, SDIMAGE_STATUS_CANCELLED, "photos: scan was cancelled")
                                  : sdcs_fail(error, SDIMAGE_STATUS_BUSY, "photos: another process scans the library");
    reload_index(scan);
    if (tree->index.is_busy) {
        sdphoto_index_unlock(&tree->index);
        return sdcs_fail(error, SDIMAGE_STATUS_BUSY, "photos: another process uses the index");
    }
    tree->needs_rewrite = tree->needs_rewrite || tree->index.has_lost_rows;
    tree->index.has_lost_rows = false;
    /* Entries that the walk finds get this number; the others are missing. */
    tree->round++;
    for (size_t i = 0; i < tree->count; i++)
        tree->entries[i]->item = 0;
    sdphoto_index_begin(&tree->index);
    /* Identifiers survive the loss of a database as long as a process has them. */
    for (size_t i = 0; tree->needs_rewrite && i < tree->count; i++)
        sdphoto_index_put(&tree->index, &tree->entries[i]->record);
    tree->needs_rewrite = false;
    sdphoto_scan_apply_moves(scan);
    sdphoto_scan_walk(scan);
    /* Otherwise unread files would count as gone. */
    if (!scan->root_error && !scan->is_cancelled && scan->updates.has_memory)
        sdphoto_scan_process_items(scan);
    sdphoto_entries_forget(tree, sdphoto_now_ns() - REMEMBERED_NS, &scan->updates);
    sdphoto_index_commit(&tree->index);
    sdphoto_index_unlock(&tree->index);
    if (!scan->updates.has_memory)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for the library");
    if (scan->root_error)
        return sdcs_fail(error, SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED, "photos: library folder is not readable");
    if (scan->is_cancelled)
        return sdcs_fail(error, SDIMAGE_STATUS_CANCELLED, "photos: scan was cancelled");
    return SDIMAGE_STATUS_OK;
}

/* The tree that this thread scans: a progress callback must not wait for another scan of it. */
static _Thread_local const sdphoto_tree *scanned_here;

bool sdphoto_tree_is_scanned_here(const sdphoto_tree *tree) {
    return scanned_here == tree;
}

sdimage_status sdphoto_tree_scan(sdphoto_tree *tree, const sdphoto_scope *scope, sdphoto_progress progress,
                                 sdimage_error **error) {
    sdphoto_scan scan = {.tree = tree, .scope = scope, .progress = progress, .updates = {.has_memory = true}};
    sdimage_status status;
    if (pthread_mutex_lock(&tree->scanning) != 0)
        return sdcs_fail(error, SDIMAGE_STATUS_WOULD_DEADLOCK, "photos: called from a progress callback of a scan");
    /* The first scan reports no events: it brings the table up to date. */
    if (!scope->is_first)
        scan.updates.batch = sdphoto_tree_new_batch(tree);
    /* A progress callback may scan another tree. */
    const sdphoto_tree *before = scanned_here;
    scanned_here = tree;
    scan.root = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (scan.root < 0)
        status = errno == ENOENT
                     ? sdcs_fail(error, SDIMAGE_STATUS_NOT_FOUND, "photos: library folder no longer exists")
                     : sdcs_fail(error, SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED, "photos: library folder is not readable");
    else
        status = scan_locked(&scan, error);
    scanned_here = before;
    sdphoto_batch *empty = sdphoto_tree_post(tree, scan.updates.batch);
    pthread_mutex_unlock(&tree->scanning);
    /* Without locks: this may destroy the observer. */
    sdphoto_batch_free(empty);
    sdphoto_scan_close(&scan);
    return status;
}
