/* waiting.c: the queue of loads that wait for the first scan of a tree (see waiting.h).
 *
 * Each load references the library through its configuration, so none waits when the library is freed. */
#include "waiting.h"

#include <errno.h>
#include <unistd.h>

/* Resumes loads that were removed from the queue. Requires no lock: a load may free the library. */
static void resume_all(sdphoto_load *loads, sdimage_status status) {
    for (sdphoto_load *next; loads; loads = next) {
        next = loads->next_waiting;
        loads->resume(loads, status);
    }
}

/* Reports that a photo is known and was not moved since: it can be loaded before the first scan. */
static bool is_loadable(sdimage_photos_library *library, const char *identifier) {
    sdimage_photos_asset *asset = sdphoto_library_lookup(library, identifier);
    bool is_there = asset && (access(asset->path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR));
    sdimage_photos_asset_unref(asset);
    return is_there;
}

static bool is_first_finished(sdphoto_tree *tree) {
    pthread_mutex_lock(&tree->library.lock);
    bool is_finished = tree->is_first_finished;
    pthread_mutex_unlock(&tree->library.lock);
    return is_finished;
}

bool sdphoto_tree_defer(sdimage_photos_library *library, sdphoto_load *load) {
    sdphoto_tree *tree = (sdphoto_tree *)library;
    /* Without the thread nothing would resume the load. */
    if (!tree->has_thread || is_first_finished(tree) || is_loadable(library, load->identifier))
        return false;
    pthread_mutex_lock(&library->lock);
    bool waits = !tree->is_first_finished;
    /* Under the lock: a later cancellation finds the load in the queue. */
    bool is_cancelled = waits && sdphoto_load_is_cancelled(load);
    if (waits && !is_cancelled) {
        load->next_waiting = NULL;
        *tree->last_load = load;
        tree->last_load = &load->next_waiting;
    }
    pthread_mutex_unlock(&library->lock);
    if (is_cancelled)
        load->resume(load, SDIMAGE_STATUS_CANCELLED);
    return waits;
}

void sdphoto_tree_cancel_loads(sdimage_photos_library *library, const void *owner) {
    sdphoto_tree *tree = (sdphoto_tree *)library;
    sdphoto_load *cancelled = NULL, **link = &tree->first_load;
    pthread_mutex_lock(&library->lock);
    for (sdphoto_load *load; (load = *link);) {
        if (owner && load->sink != owner) {
            link = &load->next_waiting;
            continue;
        }
        *link = load->next_waiting;
        load->next_waiting = cancelled;
        cancelled = load;
    }
    tree->last_load = link;
    pthread_mutex_unlock(&library->lock);
    resume_all(cancelled, SDIMAGE_STATUS_CANCELLED);
}

void sdphoto_tree_resume_loads(sdphoto_tree *tree, sdimage_status status) {
    pthread_mutex_lock(&tree->library.lock);
    sdphoto_load *loads = tree->first_load;
    tree->first_load = NULL;
    tree->last_load = &tree->first_load;
    pthread_mutex_unlock(&tree->library.lock);
    resume_all(loads, status);
}
