/* folder_watch.c: inotify watches of folders, which the tree's thread adds during its scans (see folder_watch.h). */
#include "folder_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "support.h"

/* A watch: its number, by which events name it, and its folder relative to the tree. */
typedef struct watch {
    int number;
    char folder[];
} watch;

void sdphoto_stop_watching(sdphoto_tree *tree, const char *note) {
    if (tree->inotify >= 0)
        close(tree->inotify);
    tree->inotify = -1;
    pthread_mutex_lock(&tree->library.lock);
    tree->library.is_watching = false;
    tree->library.note = note;
    pthread_mutex_unlock(&tree->library.lock);
}

void sdphoto_forget_watches(sdphoto_tree *tree) {
    for (size_t i = 0; i < tree->watches.capacity; i++)
        free(tree->watches.slots[i].value);
    sdphoto_map_clear(&tree->watches);
}

/* Adds a watch to the table. Without memory watching ends, because events of the folder could not be assigned. */
static void add_watch(sdphoto_tree *tree, int number, const char *folder) {
    size_t length = strlen(folder) + 1;
    /* The kernel returns the same number for a folder that is watched already. */
    free(sdphoto_map_remove(&tree->watches, &number, sizeof number));
    watch *watch = malloc(sizeof *watch + length);
    if (watch) {
        watch->number = number;
        memcpy(watch->folder, folder, length);
    }
    if (!watch || !sdphoto_map_set(&tree->watches, &watch->number, sizeof watch->number, watch)) {
        free(watch);
        sdphoto_stop_watching(tree, "no memory for more watches; each fetch scans the tree");
    }
}

void sdphoto_watch_folder(sdphoto_tree *tree, const char *folder) {
    /* ONLYDIR, DONT_FOLLOW: something else may have taken the folder's name. EXCL_UNLINK: deleted files that are still
     * open report nothing. */
    enum {
        EVENTS = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF |
                 IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK
    };
    /* Scans of other threads leave the watches alone, which therefore need no lock. */
    if (!tree->has_thread || !pthread_equal(pthread_self(), tree->thread) || tree->inotify < 0)
        return;
    char *path = sdphoto_join(tree->root, "/", folder);
    int number = path ? inotify_add_watch(tree->inotify, path, EVENTS) : -1;
    int code = errno;
    free(path);
    if (number >= 0)
        add_watch(tree, number, folder);
    /* Other errors concern this folder only, such as one that was removed. */
    else if (code == ENOSPC || code == ENOMEM)
        sdphoto_stop_watching(
            tree, "the kernel allows no more watches (fs.inotify.max_user_watches); each fetch scans the tree");
}

const char *sdphoto_watched_folder(const sdphoto_tree *tree, int number) {
    const watch *watch = sdphoto_map_find(&tree->watches, &number, sizeof number);
    return watch ? watch->folder : NULL;
}

void sdphoto_forget_watch(sdphoto_tree *tree, int number) {
    free(sdphoto_map_remove(&tree->watches, &number, sizeof number));
}
