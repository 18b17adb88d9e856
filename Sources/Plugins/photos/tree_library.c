/* tree_library.c: folder trees as libraries: opened, refreshed and closed, and their configuration. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "entry.h"
#include "fail.h"
#include "folders.h"
#include "scan.h"
#include "support.h"
#include "tree.h"
#include "waiting.h"
#include "watch.h"

/* Entry of sdphoto_library_kind. A tree that is watched is up to date after the first scan of its thread; otherwise
 * this thread scans. */
static sdimage_status refresh(sdimage_photos_library *library, sdphoto_need need, sdphoto_progress progress,
                              sdimage_error **error) {
    sdphoto_tree *tree = (sdphoto_tree *)library;
    if (need == SDPHOTO_NEED_INDEX && tree->has_thread) {
        pthread_mutex_lock(&library->lock);
        /* A callback of a scan must not wait for the first scan, which waits for the end of that one. */
        while (!tree->is_first_finished && !sdphoto_tree_is_scanned_here(tree))
            pthread_cond_wait(&tree->first_finished, &library->lock);
        sdimage_status status = tree->first_status;
        bool is_current = library->is_watching && tree->is_first_finished;
        pthread_mutex_unlock(&library->lock);
        if (is_current && status >= 0)
            return status;
    }
    sdphoto_scope scope = {0};
    return sdphoto_tree_scan(tree, &scope, progress, error);
}

/* Entry of sdphoto_library_kind: ends the thread, then frees everything. */
static bool close_tree(sdimage_photos_library *library) {
    sdphoto_tree *tree = (sdphoto_tree *)library;
    if (!sdphoto_watch_stop(tree))
        return false;
    /* In a forked process the state of the locks is undefined, and SQLite forbids the use of the connection. */
    if (!sdphoto_library_is_forked(library)) {
        for (sdphoto_batch *batch; (batch = sdphoto_tree_take_batch(tree));)
            sdphoto_batch_free(batch);
        sdphoto_index_close(&tree->index);
    }
    sdphoto_observer_drop(tree->observer);
    for (size_t i = 0; i < tree->count; i++)
        sdphoto_entry_free(tree->entries[i]);
    free(tree->entries);
    sdphoto_map_clear(&tree->by_path);
    sdphoto_map_clear(&tree->by_identifier);
    pthread_cond_destroy(&tree->first_finished);
    pthread_mutex_destroy(&tree->scanning);
    free(tree->root);
    return true;
}

static const sdphoto_library_kind tree_kind = {.refresh = refresh,
                                               .close = close_tree,
                                               .set_observer = sdphoto_tree_set_observer,
                                               .defer = sdphoto_tree_defer,
                                               .cancel_loads = sdphoto_tree_cancel_loads};

/* A configuration; `is_still`: the tree is not watched, so that zero is the default. */
struct sdimage_photos_library_config {
    sdphoto_object object;
    char *index_folder;
    bool is_still;
};

sdimage_photos_library_config *sdimage_photos_library_config_new(void) {
    return sdphoto_new(SDPHOTO_LIBRARY_CONFIG, sizeof(sdimage_photos_library_config));
}

sdimage_photos_library_config *sdimage_photos_library_config_ref(const sdimage_photos_library_config *config) {
    return sdphoto_ref(config, SDPHOTO_LIBRARY_CONFIG);
}

void sdimage_photos_library_config_unref(sdimage_photos_library_config *config) {
    if (!sdphoto_unref(config, SDPHOTO_LIBRARY_CONFIG))
        return;
    free(config->index_folder);
    free(config);
}

void sdimage_photos_library_config_set_index_folder(sdimage_photos_library_config *config, const char *path) {
    if (!sdphoto_is(config, SDPHOTO_LIBRARY_CONFIG))
        return;
    /* Copied first: the argument may be the path itself. */
    char *copy = path ? sdphoto_join(path, NULL, NULL) : NULL;
    free(config->index_folder);
    config->index_folder = copy;
}

void sdimage_photos_library_config_set_watch(sdimage_photos_library_config *config, bool watch) {
    if (sdphoto_is(config, SDPHOTO_LIBRARY_CONFIG))
        config->is_still = !watch;
}

const char *sdimage_photos_library_config_index_folder(const sdimage_photos_library_config *config) {
    return sdphoto_is(config, SDPHOTO_LIBRARY_CONFIG) ? config->index_folder : NULL;
}

bool sdimage_photos_library_config_should_watch(const sdimage_photos_library_config *config) {
    return sdphoto_is(config, SDPHOTO_LIBRARY_CONFIG) && !config->is_still;
}

/* Returns the folder with links resolved; to be freed. */
static sdimage_status resolve(const char *path, char **root, sdimage_error **error) {
    char *wanted = path ? sdphoto_join(path, NULL, NULL) : sdphoto_xdg_pictures_folder();
    struct stat status;
    if (!wanted)
        return sdcs_fail(error, SDIMAGE_STATUS_NOT_FOUND, "photos: location of the picture folder is unknown");
    *root = realpath(wanted, NULL);
    int number = errno;
    free(wanted);
    /* Opened, because only that proves the permission to read the folder. */
    int descriptor = *root ? open(*root, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    if (*root && descriptor < 0)
        number = errno;
    bool is_folder = descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
    if (descriptor >= 0)
        close(descriptor);
    if (is_folder)
        return SDIMAGE_STATUS_OK;
    if (descriptor >= 0)
        return sdcs_fail(error, SDIMAGE_STATUS_NOT_A_FILE, "photos: library is not a folder");
    if (number == EACCES || number == EPERM)
        return sdcs_fail(error, SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED, "photos: library folder is not readable");
    return sdphoto_fail_file(error, number);
}

sdimage_status sdimage_photos_library_open(const char *path, const sdimage_photos_library_config *config,
                                           sdimage_photos_library **library, sdimage_error **error) {
    char *root = NULL;
    if (!library)
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "photos: result pointer is NULL");
    if (config && !sdphoto_is(config, SDPHOTO_LIBRARY_CONFIG))
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_HANDLE, "photos: not a library configuration");
    sdimage_status status = resolve(path, &root, error);
    if (status < 0) {
        free(root);
        return status;
    }
    sdphoto_tree *tree = sdphoto_tree_new(&tree_kind, root);
    char *folder = config && config->index_folder ? sdphoto_join(config->index_folder, NULL, NULL)
                                                  : sdphoto_cache_folder("sdimage-photos");
    /* Compared without links: both paths may lead through some. */
    char *resolved = folder ? sdphoto_resolved_folder(folder) : NULL;
    if (!tree || !folder)
        status = sdcs_fail(error, SDIMAGE_STATUS_CACHE_UNUSABLE, "photos: location of the index is unknown");
    /* Nothing is written into a library, and each write would be reported as a change of it. */
    else if (resolved && sdphoto_is_below(resolved, tree->root))
        status = sdcs_fail(error, SDIMAGE_STATUS_CACHE_UNUSABLE, "photos: index folder lies inside the library");
    else
        status = sdphoto_index_open(&tree->index, folder, tree->root, error);
    free(folder);
    free(resolved);
    if (status >= 0 && !sdphoto_entries_load(tree, NULL))
        status = sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for the index");
    if (status < 0) {
        sdimage_photos_library_unref(tree ? &tree->library : NULL);
        return status;
    }
    /* Last: the thread uses all members. */
    if (!config || !config->is_still)
        sdphoto_watch_start(tree);
    *library = &tree->library;
    return status;
}
