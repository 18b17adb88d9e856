/* watch.c: the thread of a tree (see watch.h): its first scan, then a loop that turns events of inotify into scans, and
 * delivers the events of scans to the observer. */
#include "watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "folder_watch.h"
#include "scan.h"
#include "support.h"
#include "waiting.h"

/* Changes are collected into one scan: until no event arrives for IDLE_MS, but for at most MAX_WAITS waits. Other
 * programs may change files without a pause: then MAX_READS ends the reading, and all is scanned for more than
 * MAX_FOLDERS. A scan that found the index locked is repeated after BUSY_MS. */
enum { IDLE_MS = 30, MAX_WAITS = 10, MAX_READS = 64, MAX_FOLDERS = 1024, BUSY_MS = 1000 };

/* Changes that were received and not yet scanned. */
typedef struct changes {
    bool is_all, is_unmounted;
    char **folders;
    size_t folder_count, folder_capacity;
    sdphoto_move *moves; /* those without `to` may be completed later */
    uint32_t *cookies;
    size_t move_count, move_capacity, cookie_capacity;
} changes;

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

/* Adds a folder; if there are too many or memory is exhausted, all are scanned. */
static void add_folder(changes *changes, const char *folder) {
    if (changes->is_all)
        return;
    for (size_t i = 0; i < changes->folder_count; i++)
        if (strcmp(changes->folders[i], folder) == 0)
            return;
    char *copy = changes->folder_count < MAX_FOLDERS ? sdphoto_join(folder, NULL, NULL) : NULL;
    if (copy &&
        sdphoto_grow(&changes->folders, changes->folder_count, &changes->folder_capacity, sizeof *changes->folders)) {
        changes->folders[changes->folder_count++] = copy;
        return;
    }
    free(copy);
    changes->is_all = true;
}

/* Notes the source of a rename, and takes over the path. The kernel gives source and target of a rename the same
 * cookie. */
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

/* Completes a rename, in most cases the last one. Takes over the path; a file that comes from outside of the tree is
 * simply new. */
static void add_move_target(changes *changes, uint32_t cookie, char *path) {
    for (size_t i = changes->move_count; i-- > 0;)
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
    const char *folder = sdphoto_watched_folder(tree, number);
    /* Another file system may be mounted there next, without an event. */
    if (event->mask & IN_UNMOUNT)
        changes->is_unmounted = true;
    if (event->mask & IN_IGNORED) {
        sdphoto_forget_watch(tree, number);
        return;
    }
    if (!folder)
        return;
    /* Changes of folders are rare: then everything is scanned, and watches are set again. */
    if (event->mask & (IN_ISDIR | IN_DELETE_SELF | IN_MOVE_SELF))
        changes->is_all = true;
    else
        add_folder(changes, folder);
    if (!event->len || !(event->mask & (IN_MOVED_FROM | IN_MOVED_TO)))
        return;
    char *path = *folder ? sdphoto_join(folder, "/", event->name) : sdphoto_join(event->name, NULL, NULL);
    if (event->mask & IN_MOVED_FROM)
        add_move_source(changes, event->cookie, path, event->mask & IN_ISDIR);
    else if (path)
        add_move_target(changes, event->cookie, path);
}

/* Reads events of the kernel's queue; false if it was empty. Those that remain are read after the next poll. */
static bool read_events(sdphoto_tree *tree, changes *changes) {
    _Alignas(struct inotify_event) char buffer[16384];
    bool has_events = false;
    for (int i = 0; i < MAX_READS && !atomic_load(&tree->is_stopping); i++) {
        ssize_t count = read(tree->inotify, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        for (char *at = buffer; at < buffer + count;) {
            /* Events follow each other without gaps; `len` includes the padding of the name. */
            struct inotify_event *event = (struct inotify_event *)(void *)at;
            handle_event(tree, changes, event);
            at += sizeof *event + event->len;
        }
        has_events = true;
    }
    return has_events;
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

/* Scans. After an error the watches are useless, and each fetch then scans; not if another program uses the index. */
static sdimage_status scan(sdphoto_tree *tree, const sdphoto_scope *scope) {
    sdimage_status status = sdphoto_tree_scan(tree, scope, (sdphoto_progress){NULL, NULL}, NULL);
    if (status < 0 && status != SDIMAGE_STATUS_CANCELLED && status != SDIMAGE_STATUS_BUSY)
        sdphoto_stop_watching(tree, "the tree could not be read; each fetch scans it again");
    return status;
}

static sdimage_status scan_changes(sdphoto_tree *tree, changes *changes) {
    sdphoto_scope scope = {.folders = changes->is_all ? NULL : changes->folders, .folder_count = changes->folder_count};
    scope.move_count = drop_incomplete_moves(changes);
    scope.moves = changes->moves;
    return changes->is_all || changes->folder_count ? scan(tree, &scope) : SDIMAGE_STATUS_OK;
}

/* Fetches wait for the first scan, and scan by themselves if it has failed. Loads that wait continue on this thread. */
static void finish_first(sdphoto_tree *tree, sdimage_status status) {
    pthread_mutex_lock(&tree->library.lock);
    tree->is_first_finished = true;
    tree->first_status = status;
    pthread_cond_broadcast(&tree->first_finished);
    pthread_mutex_unlock(&tree->library.lock);
    sdphoto_tree_resume_loads(tree, status);
}

/* Calls the observers for all posted events, without locks. Ends with the library, which a callback may release. */
static void deliver(sdphoto_tree *tree) {
    for (sdphoto_batch *batch; !atomic_load(&tree->is_stopping) && (batch = sdphoto_tree_take_batch(tree));) {
        for (size_t i = 0; i < batch->count && !atomic_load(&tree->is_stopping); i++)
            sdphoto_batch_deliver(batch, i);
        sdphoto_batch_free(batch);
    }
}

static void *run(void *argument) {
    sdphoto_tree *tree = argument;
    sdimage_status status = scan(tree, &(sdphoto_scope){.is_first = true});
    finish_first(tree, status);
    changes changes = {.is_all = status == SDIMAGE_STATUS_BUSY};
    /* When watching has ended, fetches scan by themselves, and the thread only delivers their events. */
    for (deliver(tree); !atomic_load(&tree->is_stopping); deliver(tree)) {
        struct pollfd sources[2] = {{tree->wake, POLLIN, 0}, {tree->inotify, POLLIN, 0}};
        bool is_repeated = status == SDIMAGE_STATUS_BUSY && tree->inotify >= 0;
        /* poll ignores a descriptor of -1, and is repeated after a failure. The condition of the loop ends the
         * thread. */
        if (poll(sources, 2, is_repeated ? BUSY_MS : -1) < 0 || atomic_load(&tree->is_stopping))
            continue;
        /* Before the delivery: later events wake the thread again. */
        eventfd_read(tree->wake, &(eventfd_t){0});
        /* Several events often belong together: waits until no more arrive. */
        bool has_events = read_events(tree, &changes);
        for (int i = 0;
             has_events && i < MAX_WAITS && poll(sources, 2, IDLE_MS) > 0 && !atomic_load(&tree->is_stopping); i++)
            read_events(tree, &changes);
        if (changes.is_unmounted)
            sdphoto_stop_watching(tree, "a file system of the tree was unmounted; each fetch scans the tree");
        else if (has_events || is_repeated)
            status = scan_changes(tree, &changes);
        if (status == SDIMAGE_STATUS_BUSY)
            continue;
        if (is_repeated)
            finish_first(tree, status);
        clear(&changes);
    }
    clear(&changes);
    /* The last reference was released on this thread. */
    if (!tree->has_thread)
        sdphoto_library_free(&tree->library);
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
        sdphoto_stop_watching(tree, "no descriptor for a thread; each fetch scans the tree");
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
        sdphoto_stop_watching(tree, "no thread could be started; each fetch scans the tree");
}

bool sdphoto_watch_stop(sdphoto_tree *tree) {
    atomic_store(&tree->is_stopping, true);
    /* A forked process does not have the thread. */
    if (tree->has_thread && !sdphoto_library_is_forked(&tree->library)) {
        if (pthread_equal(pthread_self(), tree->thread)) {
            pthread_detach(tree->thread);
            tree->has_thread = false;
            return false;
        }
        eventfd_write(tree->wake, 1);
        pthread_join(tree->thread, NULL);
    }
    sdphoto_forget_watches(tree);
    if (tree->inotify >= 0)
        close(tree->inotify);
    if (tree->wake >= 0)
        close(tree->wake);
    return true;
}
