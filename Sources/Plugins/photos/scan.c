#include "scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Limits: depth of folders and length of paths, beyond which they are skipped; wait for the scan of another process
 * (LOCK_STEPS steps of LOCK_STEP_MS); time for which lost files are remembered. */
enum { DEPTH_LIMIT = 64, PATH_LIMIT = 4000, LOCK_STEP_MS = 20, LOCK_STEPS = 3000 };
static const int64_t REMEMBERED_NS = (int64_t)90 * 24 * 3600 * 1000000000;

/* --- The walk. */

static bool push(char ***texts, size_t *count, size_t *capacity, char *text) {
    if (text && sdphoto_grow(texts, *count, capacity, sizeof **texts)) {
        (*texts)[(*count)++] = text;
        return true;
    }
    free(text);
    return false;
}

bool sdphoto_scan_continues(sdphoto_scan *scan) {
    if (atomic_load(&scan->tree->is_stopping) ||
        (scan->progress.report && !scan->progress.report(scan->progress.user_data, scan->found, scan->read)))
        scan->is_cancelled = true;
    return !scan->is_cancelled && scan->has_memory;
}

/* Handles a file of the walk. Takes over the path. */
static void visit_file(sdphoto_scan *scan, char *path, const struct stat *status) {
    sdphoto_tree *tree = scan->tree;
    sdphoto_entry *entry = sdphoto_map_find(&tree->by_path, path, strlen(path));
    scan->found++;
    if (entry)
        entry->round = tree->round;
    if (entry && sdphoto_record_is_unchanged(&entry->record, status)) {
        free(path);
        return;
    }
    if (!sdphoto_grow(&scan->items, scan->item_count, &scan->item_capacity, sizeof *scan->items)) {
        free(path);
        scan->has_memory = false;
        return;
    }
    scan->items[scan->item_count++] = (sdphoto_item){entry, path, *status};
    if (entry)
        entry->item = scan->item_count;
}

/* Reports names that are skipped: hidden files and backup copies of editors. */
static bool is_skipped(const char *name) {
    return *name == '.' || name[strlen(name) - 1] == '~';
}

static void visit_entry(sdphoto_scan *scan, const char *folder, size_t depth, int descriptor, const char *name) {
    struct stat status;
    if (fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    /* A link to a file counts as a file. A link to a folder could lead out of the tree, or in circles. */
    if (S_ISLNK(status.st_mode) && (fstatat(descriptor, name, &status, 0) != 0 || !S_ISREG(status.st_mode)))
        return;
    bool is_folder = S_ISDIR(status.st_mode);
    if (!is_folder && !S_ISREG(status.st_mode))
        return;
    if (strlen(folder) + strlen(name) > PATH_LIMIT || (is_folder && (depth >= DEPTH_LIMIT || scan->scope->folders)))
        return;
    char *path = *folder ? sdphoto_join(folder, "/", name) : sdphoto_join(name, NULL, NULL);
    if (!path)
        scan->has_memory = false;
    else if (!is_folder)
        visit_file(scan, path, &status);
    else if (!push(&scan->folders, &scan->folder_count, &scan->folder_capacity, path))
        scan->has_memory = false;
}

static size_t depth_of(const char *path) {
    size_t depth = *path ? 1 : 0;
    for (; *path; path++)
        depth += *path == '/';
    return depth;
}

/* Reads a folder; takes over its name. */
static void read_folder(sdphoto_scan *scan, char *folder) {
    sdphoto_watch_folder(scan->tree, folder);
    int descriptor = openat(scan->root, *folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *names = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    int number = errno;
    size_t depth = depth_of(folder);
    if (!names && descriptor >= 0)
        close(descriptor);
    for (struct dirent *one; names && scan->has_memory;) {
        errno = 0;
        one = readdir(names);
        number = errno;
        if (!one)
            break;
        if (!is_skipped(one->d_name))
            visit_entry(scan, folder, depth, dirfd(names), one->d_name);
    }
    bool is_read = names && number == 0;
    if (names)
        closedir(names);
    /* A missing folder counts as read and empty. */
    if (is_read || number == ENOENT || number == ENOTDIR || number == ELOOP) {
        if (!sdphoto_map_set(&scan->scanned, folder, strlen(folder), folder)) {
            scan->has_memory = false;
            free(folder);
        }
        return;
    }
    if (!*folder)
        scan->root_error = number;
    if (!push(&scan->unread, &scan->unread_count, &scan->unread_capacity, folder))
        scan->has_memory = false;
}

static void walk(sdphoto_scan *scan) {
    const sdphoto_scope *scope = scan->scope;
    for (size_t i = 0; i < (scope->folders ? scope->folder_count : 1); i++)
        if (!push(&scan->folders, &scan->folder_count, &scan->folder_capacity,
                  sdphoto_join(scope->folders ? scope->folders[i] : "", NULL, NULL)))
            scan->has_memory = false;
    while (scan->folder_count && sdphoto_scan_continues(scan))
        read_folder(scan, scan->folders[--scan->folder_count]);
}

/* --- The whole scan. */

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

static void reload_index(sdphoto_scan *scan) {
    sdphoto_tree *tree = scan->tree;
    unsigned generation = tree->index.generation;
    if (sdphoto_index_has_changed(&tree->index)) {
        if (!sdphoto_tree_load(tree, scan))
            scan->has_memory = false;
    }
    tree->needs_rewrite = tree->needs_rewrite || generation != tree->index.generation;
}

static sdimage_status scan_locked(sdphoto_scan *scan, sdimage_error **error) {
    sdphoto_tree *tree = scan->tree;
    if (!wait_for_lock(scan))
        return scan->is_cancelled ? sdcs_fail(error, SDIMAGE_STATUS_CANCELLED, "photos: scan was cancelled")
                                  : sdcs_fail(error, SDIMAGE_STATUS_BUSY, "photos: another process scans the library");
    reload_index(scan);
    tree->round++;
    for (size_t i = 0; i < tree->count; i++)
        tree->entries[i]->item = 0;
    sdphoto_index_begin(&tree->index);
    for (size_t i = 0; tree->needs_rewrite && i < tree->count; i++)
        sdphoto_index_put(&tree->index, &tree->entries[i]->record);
    tree->needs_rewrite = false;
    sdphoto_scan_apply_moves(scan);
    walk(scan);
    if (!scan->root_error && !scan->is_cancelled && scan->has_memory)
        sdphoto_scan_process_items(scan);
    if (!scan->scope->folders)
        sdphoto_index_forget_lost(&tree->index, sdphoto_now_ns() - REMEMBERED_NS);
    sdphoto_index_commit(&tree->index);
    sdphoto_index_unlock(&tree->index);
    if (!scan->has_memory)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for the library");
    if (scan->root_error)
        return sdcs_fail(error, SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED, "photos: library folder is not readable");
    if (scan->is_cancelled)
        return sdcs_fail(error, SDIMAGE_STATUS_CANCELLED, "photos: scan was cancelled");
    return SDIMAGE_STATUS_OK;
}

static void notify(const sdphoto_scan *scan, const sdphoto_observer *observer) {
    for (size_t i = 0; i < scan->event_count; i++) {
        sdimage_photos_asset *asset = scan->events[i].asset;
        const sdimage_photos_observer_vtable *table = &observer->table;
        void (*call)(void *, sdimage_photos_asset *) = scan->events[i].kind == SDPHOTO_INSERTED  ? table->inserted
                                                       : scan->events[i].kind == SDPHOTO_REMOVED ? table->removed
                                                                                                 : table->changed;
        if (call)
            call(observer->user_data, asset);
    }
}

static void close_scan(sdphoto_scan *scan) {
    for (size_t i = 0; i < scan->folder_count; i++)
        free(scan->folders[i]);
    for (size_t i = 0; i < scan->scanned.capacity; i++)
        free(scan->scanned.slots[i].value);
    for (size_t i = 0; i < scan->unread_count; i++)
        free(scan->unread[i]);
    for (size_t i = 0; i < scan->item_count; i++)
        free(scan->items[i].path);
    for (size_t i = 0; i < scan->event_count; i++)
        sdimage_photos_asset_unref(scan->events[i].asset);
    free(scan->folders);
    free(scan->unread);
    free(scan->items);
    free(scan->events);
    sdphoto_map_clear(&scan->scanned);
    if (scan->root >= 0)
        close(scan->root);
}

/* The tree that this thread scans: a progress callback must not wait for another scan of it. */
static _Thread_local const sdphoto_tree *scanned_here;

bool sdphoto_tree_is_scanned_here(const sdphoto_tree *tree) {
    return scanned_here == tree;
}

sdimage_status sdphoto_tree_scan(sdphoto_tree *tree, const sdphoto_scope *scope, sdphoto_progress progress,
                                 sdimage_error **error) {
    sdphoto_observer *observer = scope->is_first ? NULL : sdphoto_observer_of(tree);
    sdphoto_scan scan = {
        .tree = tree, .scope = scope, .progress = progress, .has_memory = true, .has_observer = observer != NULL};
    sdimage_status status;
    if (pthread_mutex_lock(&tree->scanning) != 0) {
        sdphoto_observer_drop(observer);
        return sdcs_fail(error, SDIMAGE_STATUS_WOULD_DEADLOCK, "photos: called from an observer during a scan");
    }
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
    pthread_mutex_unlock(&tree->scanning);
    if (observer)
        notify(&scan, observer);
    sdphoto_observer_drop(observer);
    close_scan(&scan);
    return status;
}
