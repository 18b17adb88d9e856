/* The thread of a tree: it receives changes from the kernel and scans the affected folders. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "tree.h"

/* Changes are collected into one scan: until no event arrives for IDLE_MS, but for at most MAX_WAITS waits. */
enum { IDLE_MS = 30, MAX_WAITS = 10 };

typedef struct watch {
    int number;
    char folder[];
} watch;

/* Changes that were received and not yet scanned. */
typedef struct changes {
    bool is_all, is_unmounted;
    char **folders;
    size_t folder_count, folder_capacity;
    sdphoto_move *moves; /* those without `to` may be completed later */
    uint32_t *cookies;
    size_t move_count, move_capacity, cookie_capacity;
} changes;

static void stop_watching(sdphoto_tree *tree, const char *note) {
    if (tree->inotify >= 0)
        close(tree->inotify);
    tree->inotify = -1;
    pthread_mutex_lock(&tree->library.lock);
    tree->library.is_watching = false;
    tree->library.note = note;
    pthread_mutex_unlock(&tree->library.lock);
}

static void drop_watches(sdphoto_tree *tree) {
    for (size_t i = 0; i < tree->watches.capacity; i++)
        free(tree->watches.slots[i].value);
    sdphoto_map_clear(&tree->watches);
}

static void add_watch(sdphoto_tree *tree, int number, const char *folder) {
    size_t length = strlen(folder) + 1;
    free(sdphoto_map_remove(&tree->watches, &number, sizeof number));
    watch *watch = malloc(sizeof *watch + length);
    if (watch) {
        watch->number = number;
        memcpy(watch->folder, folder, length);
    }
    if (!watch || !sdphoto_map_set(&tree->watches, &watch->number, sizeof watch->number, watch)) {
        free(watch);
        stop_watching(tree, "no memory for more watches; each fetch scans the tree");
    }
}

void sdphoto_watch_folder(sdphoto_tree *tree, const char *folder) {
    enum {
        EVENTS = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF |
                 IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK
    };
    if (!tree->has_thread || !pthread_equal(pthread_self(), tree->thread) || tree->inotify < 0)
        return;
    char *path = sdphoto_join(tree->root, "/", folder);
    int number = path ? inotify_add_watch(tree->inotify, path, EVENTS) : -1;
    int code = errno;
    free(path);
    if (number >= 0)
        add_watch(tree, number, folder);
    else if (code == ENOSPC || code == ENOMEM)
        stop_watching(tree,
                      "the kernel allows no more watches (fs.inotify.max_user_watches); each fetch scans the tree");
}

/* --- Events. */

static void clear(changes *changes) {
    for (size_t i = 0; i < changes->folder_count; i++)
        free(changes->folders[i]);
    for (size_t i = 0; i < changes->move_count; i++) {
        free(changes->moves[i].from);
        free(changes->moves[i].to);
    }
    free(changes->folders);
    free(changes->moves);
    free(changes->cookies);
    *changes = (struct changes){0};
}

/* Adds a folder; if memory is exhausted, all are scanned. */
static void add_folder(changes *changes, const char *folder) {
    for (size_t i = 0; i < changes->folder_count; i++)
        if (strcmp(changes->folders[i], folder) == 0)
            return;
    char *copy = sdphoto_join(folder, NULL, NULL);
    if (copy &&
        sdphoto_grow(&changes->folders, changes->folder_count, &changes->folder_capacity, sizeof *changes->folders)) {
        changes->folders[changes->folder_count++] = copy;
        return;
    }
    free(copy);
    changes->is_all = true;
}

static void add_move_source(changes *changes, uint32_t cookie, char *path, bool is_folder) {
    if (path && sdphoto_grow(&changes->moves, changes->move_count, &changes->move_capacity, sizeof *changes->moves) &&
        sdphoto_grow(&changes->cookies, changes->move_count, &changes->cookie_capacity, sizeof *changes->cookies)) {
        changes->cookies[changes->move_count] = cookie;
        changes->moves[changes->move_count++] = (sdphoto_move){path, NULL, is_folder};
        return;
    }
    free(path);
    changes->is_all = true;
}

static void add_move_target(changes *changes, uint32_t cookie, char *path) {
    for (size_t i = 0; i < changes->move_count; i++)
        if (changes->cookies[i] == cookie && !changes->moves[i].to) {
            changes->moves[i].to = path;
            return;
        }
    free(path);
}

static void handle_event(sdphoto_tree *tree, changes *changes, const struct inotify_event *event) {
    int number = event->wd;
    if (event->mask & IN_Q_OVERFLOW) {
        changes->is_all = true;
        return;
    }
    watch *watch = sdphoto_map_find(&tree->watches, &number, sizeof number);
    /* Another file system may be mounted there next, without an event. */
    if (event->mask & IN_UNMOUNT)
        changes->is_unmounted = true;
    if (event->mask & IN_IGNORED) {
        free(sdphoto_map_remove(&tree->watches, &number, sizeof number));
        return;
    }
    if (!watch)
        return;
    /* Changes of folders are rare: then everything is scanned, and watches are set again. */
    if (event->mask & (IN_ISDIR | IN_DELETE_SELF | IN_MOVE_SELF))
        changes->is_all = true;
    else
        add_folder(changes, watch->folder);
    if (!event->len || !(event->mask & (IN_MOVED_FROM | IN_MOVED_TO)))
        return;
    char *path = *watch->folder ? sdphoto_join(watch->folder, "/", event->name) : sdphoto_join(event->name, NULL, NULL);
    if (event->mask & IN_MOVED_FROM)
        add_move_source(changes, event->cookie, path, event->mask & IN_ISDIR);
    else if (path)
        add_move_target(changes, event->cookie, path);
}

/* Reads all events in the kernel's queue; false if it was empty. */
static bool read_events(sdphoto_tree *tree, changes *changes) {
    _Alignas(struct inotify_event) char buffer[16384];
    bool has_events = false;
    for (;;) {
        ssize_t count = read(tree->inotify, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return has_events;
        for (char *at = buffer; at < buffer + count;) {
            struct inotify_event *event = (struct inotify_event *)(void *)at;
            handle_event(tree, changes, event);
            at += sizeof *event + event->len;
        }
        has_events = true;
    }
}

/* Removes incomplete moves: those files left the tree. */
static size_t drop_incomplete_moves(changes *changes) {
    size_t count = 0;
    for (size_t i = 0; i < changes->move_count; i++) {
        sdphoto_move move = changes->moves[i];
        if (move.to)
            changes->moves[count++] = move;
        else
            free(move.from);
    }
    return changes->move_count = count;
}

static void scan_changes(sdphoto_tree *tree, changes *changes) {
    sdphoto_scope scope = {.folders = changes->is_all ? NULL : changes->folders, .folder_count = changes->folder_count};
    scope.move_count = drop_incomplete_moves(changes);
    scope.moves = changes->moves;
    if (!changes->is_all && changes->folder_count == 0)
        return;
    sdimage_status status = sdphoto_tree_scan(tree, &scope, (sdphoto_progress){NULL, NULL}, NULL);
    if (status < 0 && status != SDIMAGE_STATUS_CANCELLED)
        stop_watching(tree, "the tree could not be read; each fetch scans it again");
}

static void *run(void *argument) {
    sdphoto_tree *tree = argument;
    sdphoto_scope scope = {.is_first = true};
    sdimage_status status = sdphoto_tree_scan(tree, &scope, (sdphoto_progress){NULL, NULL}, NULL);
    if (status < 0 && status != SDIMAGE_STATUS_CANCELLED)
        stop_watching(tree, "the tree could not be read; each fetch scans it again");
    pthread_mutex_lock(&tree->library.lock);
    tree->is_first_finished = true;
    tree->first_status = status;
    pthread_cond_broadcast(&tree->first_finished);
    pthread_mutex_unlock(&tree->library.lock);
    while (!atomic_load(&tree->is_stopping) && tree->inotify >= 0) {
        struct pollfd sources[2] = {{tree->wake, POLLIN, 0}, {tree->inotify, POLLIN, 0}};
        changes changes = {0};
        if (poll(sources, 2, -1) < 0 || atomic_load(&tree->is_stopping))
            continue;
        bool has_events = read_events(tree, &changes);
        for (int i = 0;
             has_events && i < MAX_WAITS && poll(sources, 2, IDLE_MS) > 0 && !atomic_load(&tree->is_stopping); i++)
            read_events(tree, &changes);
        if (changes.is_unmounted)
            stop_watching(tree, "a file system of the tree was unmounted; each fetch scans the tree");
        else if (has_events)
            scan_changes(tree, &changes);
        clear(&changes);
    }
    return NULL;
}

void sdphoto_watch_start(sdphoto_tree *tree) {
    sigset_t all, before;
    tree->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    tree->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    tree->library.is_watching = tree->inotify >= 0;
    if (tree->inotify < 0)
        tree->library.note =
            "the kernel allows no more watchers (fs.inotify.max_user_instances); each fetch scans the tree";
    if (tree->wake < 0) {
        stop_watching(tree, "no descriptor for a thread; each fetch scans the tree");
        return;
    }
    /* The thread blocks all signals: they belong to the host. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    /* The thread compares its own id, which is written before its first scan can begin. */
    pthread_mutex_lock(&tree->scanning);
    tree->has_thread = pthread_create(&tree->thread, NULL, run, tree) == 0;
    pthread_mutex_unlock(&tree->scanning);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (tree->has_thread)
        pthread_setname_np(tree->thread, "sdimage-photos");
    else
        stop_watching(tree, "no thread could be started; each fetch scans the tree");
}

void sdphoto_watch_stop(sdphoto_tree *tree) {
    atomic_store(&tree->is_stopping, true);
    if (tree->has_thread && tree->process == (int)getpid()) {
        eventfd_write(tree->wake, 1);
        pthread_join(tree->thread, NULL);
    }
    drop_watches(tree);
    if (tree->inotify >= 0)
        close(tree->inotify);
    if (tree->wake >= 0)
        close(tree->wake);
}
