/* tree.c: making of a tree, its observer and the queue of events (see tree.h). */
#include "tree.h"

#include <stdlib.h>
#include <sys/eventfd.h>

#include "fail.h"

sdphoto_tree *sdphoto_tree_new(const sdphoto_library_kind *kind, char *root) {
    sdphoto_tree *tree = sdphoto_library_new(kind, "tree", sizeof *tree);
    if (!tree) {
        free(root);
        return NULL;
    }
    tree->root = root;
    tree->index.lock = tree->wake = tree->inotify = -1;
    tree->last_load = &tree->first_load;
    tree->last_batch = &tree->first_batch;
    /* Error checking: a scan requested by the progress callback of another scan is refused. */
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&tree->scanning, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_cond_init(&tree->first_finished, NULL);
    return tree;
}

sdphoto_batch *sdphoto_tree_new_batch(sdphoto_tree *tree) {
    sdphoto_batch *batch = NULL;
    pthread_mutex_lock(&tree->library.lock);
    if (tree->observer && tree->has_thread)
        batch = calloc(1, sizeof *batch);
    if (batch) {
        atomic_fetch_add(&tree->observer->references, 1);
        batch->observer = tree->observer;
    }
    pthread_mutex_unlock(&tree->library.lock);
    return batch;
}

sdphoto_batch *sdphoto_tree_post(sdphoto_tree *tree, sdphoto_batch *batch) {
    if (!batch || !batch->count)
        return batch;
    pthread_mutex_lock(&tree->library.lock);
    *tree->last_batch = batch;
    tree->last_batch = &batch->next;
    pthread_mutex_unlock(&tree->library.lock);
    eventfd_write(tree->wake, 1);
    return NULL;
}

sdphoto_batch *sdphoto_tree_take_batch(sdphoto_tree *tree) {
    pthread_mutex_lock(&tree->library.lock);
    sdphoto_batch *batch = tree->first_batch;
    if (batch) {
        tree->first_batch = batch->next;
        if (!tree->first_batch)
            tree->last_batch = &tree->first_batch;
    }
    pthread_mutex_unlock(&tree->library.lock);
    return batch;
}

sdimage_status sdphoto_tree_set_observer(sdimage_photos_library *library, const sdimage_photos_library_handler *vtable,
                                         void *user_data, sdimage_destroy_fn destroy, sdimage_error **error) {
    sdphoto_tree *tree = (sdphoto_tree *)library;
    sdphoto_observer *observer = vtable ? sdphoto_observer_new(vtable, user_data, destroy) : NULL;
    if (!observer && destroy)
        destroy(user_data);
    if (vtable && !observer)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for an observer");
    pthread_mutex_lock(&library->lock);
    /* Destroyed outside of the lock: its destroy function belongs to the host. */
    sdphoto_observer *before = tree->observer;
    tree->observer = observer;
    pthread_mutex_unlock(&library->lock);
    sdphoto_observer_drop(before);
    return SDIMAGE_STATUS_OK;
}
