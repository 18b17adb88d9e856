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

/* Changes are collected into one scan: until no event arrives for QUIET_MS, but for at most TURNS waits. */
enum { QUIET_MS = 30, TURNS = 10 };

typedef struct watch {
    int number;
    char folder[];
} watch;

/* Changes that were received and not yet scanned. */
typedef struct news {
    bool is_all, is_unmounted;
    char **folders;
    size_t folder_count, folder_capacity;
    sdphoto_move *moves; /* those without `to` may be completed later */
    uint32_t *cookies;
    size_t move_count, move_capacity, cookie_capacity;
} news;

static void give_up(sdphoto_tree *tree, const char *note) {
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

static void remember(sdphoto_tree *tree, int number, const char *folder) {
    size_t length = strlen(folder) + 1;
    free(sdphoto_map_remove(&tree->watches, &number, sizeof number));
    watch *watch = malloc(sizeof *watch + length);
    if (watch) {
        watch->number = number;
        memcpy(watch->folder, folder, length);
    }
    if (!watch || !sdphoto_map_set(&tree->watches, &watch->number, sizeof watch->number, watch)) {
        free(watch);
        give_up(tree, "no memory for more watches; each fetch scans the tree");
    }
}

void sdphoto_watch_folder(sdphoto_tree *tree, const char *folder) {
    enum {
        WANTED = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF |
                 IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK
    };
    if (!tree->has_thread || !pthread_equal(pthread_self(), tree->thread) || tree->inotify < 0)
        return;
    char *path = sdphoto_join(tree->root, "/", folder);
    int number = path ? inotify_add_watch(tree->inotify, path, WANTED) : -1;
    int code = errno;
    free(path);
    if (number >= 0)
        remember(tree, number, folder);
    else if (code == ENOSPC || code == ENOMEM)
        give_up(tree, "the kernel allows no more watches (fs.inotify.max_user_watches); each fetch scans the tree");
}

/* --- Events. */

static void clear(news *news) {
    for (size_t i = 0; i < news->folder_count; i++)
        free(news->folders[i]);
    for (size_t i = 0; i < news->move_count; i++) {
        free(news->moves[i].from);
        free(news->moves[i].to);
    }
    free(news->folders);
    free(news->moves);
    free(news->cookies);
    *news = (struct news){0};
}

/* Adds a folder; if memory is exhausted, all are scanned. */
static void note_folder(news *news, const char *folder) {
    for (size_t i = 0; i < news->folder_count; i++)
        if (strcmp(news->folders[i], folder) == 0)
            return;
    char *copy = sdphoto_join(folder, NULL, NULL);
    if (copy && sdphoto_grow(&news->folders, news->folder_count, &news->folder_capacity, sizeof *news->folders)) {
        news->folders[news->folder_count++] = copy;
        return;
    }
    free(copy);
    news->is_all = true;
}

static void note_departure(news *news, uint32_t cookie, char *path, bool is_folder) {
    if (path && sdphoto_grow(&news->moves, news->move_count, &news->move_capacity, sizeof *news->moves) &&
        sdphoto_grow(&news->cookies, news->move_count, &news->cookie_capacity, sizeof *news->cookies)) {
        news->cookies[news->move_count] = cookie;
        news->moves[news->move_count++] = (sdphoto_move){path, NULL, is_folder};
        return;
    }
    free(path);
    news->is_all = true;
}

static void note_arrival(news *news, uint32_t cookie, char *path) {
    for (size_t i = 0; i < news->move_count; i++)
        if (news->cookies[i] == cookie && !news->moves[i].to) {
            news->moves[i].to = path;
            return;
        }
    free(path);
}

static void hear(sdphoto_tree *tree, news *news, const struct inotify_event *event) {
    int number = event->wd;
    if (event->mask & IN_Q_OVERFLOW) {
        news->is_all = true;
        return;
    }
    watch *watch = sdphoto_map_find(&tree->watches, &number, sizeof number);
    /* Another file system may be mounted there next, without an event. */
    if (event->mask & IN_UNMOUNT)
        news->is_unmounted = true;
    if (event->mask & IN_IGNORED) {
        free(sdphoto_map_remove(&tree->watches, &number, sizeof number));
        return;
    }
    if (!watch)
        return;
    /* Changes of folders are rare: then everything is scanned, and watches are set again. */
    if (event->mask & (IN_ISDIR | IN_DELETE_SELF | IN_MOVE_SELF))
        news->is_all = true;
    else
        note_folder(news, watch->folder);
    if (!event->len || !(event->mask & (IN_MOVED_FROM | IN_MOVED_TO)))
        return;
    char *path = *watch->folder ? sdphoto_join(watch->folder, "/", event->name) : sdphoto_join(event->name, NULL, NULL);
    if (event->mask & IN_MOVED_FROM)
        note_departure(news, event->cookie, path, event->mask & IN_ISDIR);
    else if (path)
        note_arrival(news, event->cookie, path);
}

/* Reads all events in the kernel's queue; false if it was empty. */
static bool listen(sdphoto_tree *tree, news *news) {
    _Alignas(struct inotify_event) char buffer[16384];
    bool has_heard = false;
    for (;;) {
        ssize_t count = read(tree->inotify, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return has_heard;
        for (char *at = buffer; at < buffer + count;) {
            struct inotify_event *event = (struct inotify_event *)(void *)at;
            hear(tree, news, event);
            at += sizeof *event + event->len;
        }
        has_heard = true;
    }
}

/* Removes incomplete moves: those files left the tree. */
static size_t keep_whole(news *news) {
    size_t kept = 0;
    for (size_t i = 0; i < news->move_count; i++) {
        sdphoto_move move = news->moves[i];
        if (move.to)
            news->moves[kept++] = move;
        else
            free(move.from);
    }
    return news->move_count = kept;
}

static void look(sdphoto_tree *tree, news *news) {
    sdphoto_scope scope = {.folders = news->is_all ? NULL : news->folders, .folder_count = news->folder_count};
    scope.move_count = keep_whole(news);
    scope.moves = news->moves;
    if (!news->is_all && news->folder_count == 0)
        return;
    sdimage_status status = sdphoto_tree_scan(tree, &scope, (sdphoto_watcher){NULL, NULL}, NULL);
    if (status < 0 && status != SDIMAGE_STATUS_CANCELLED)
        give_up(tree, "the tree could not be read; each fetch scans it again");
}

static void *run(void *argument) {
    sdphoto_tree *tree = argument;
    sdphoto_scope scope = {.is_first = true};
    sdimage_status status = sdphoto_tree_scan(tree, &scope, (sdphoto_watcher){NULL, NULL}, NULL);
    if (status < 0 && status != SDIMAGE_STATUS_CANCELLED)
        give_up(tree, "the tree could not be read; each fetch scans it again");
    pthread_mutex_lock(&tree->library.lock);
    tree->is_first_over = true;
    tree->first_status = status;
    pthread_cond_broadcast(&tree->first_over);
    pthread_mutex_unlock(&tree->library.lock);
    while (!atomic_load(&tree->is_stopping) && tree->inotify >= 0) {
        struct pollfd sources[2] = {{tree->wake, POLLIN, 0}, {tree->inotify, POLLIN, 0}};
        news news = {0};
        if (poll(sources, 2, -1) < 0 || atomic_load(&tree->is_stopping))
            continue;
        bool has_heard = listen(tree, &news);
        for (int i = 0; has_heard && i < TURNS && poll(sources, 2, QUIET_MS) > 0 && !atomic_load(&tree->is_stopping);
             i++)
            listen(tree, &news);
        if (news.is_unmounted)
            give_up(tree, "a file system of the tree was unmounted; each fetch scans the tree");
        else if (has_heard)
            look(tree, &news);
        clear(&news);
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
        give_up(tree, "no descriptor for a thread; each fetch scans the tree");
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
        give_up(tree, "no thread could be started; each fetch scans the tree");
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
