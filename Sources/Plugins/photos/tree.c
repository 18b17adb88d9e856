#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe.h"
#include "thumbnail.h"

/* Folders so deep, and paths so long, are passed over. What was lost is known again for so long. Rows between two
 * commits. So long another process may scan. */
enum { DEPTH_LIMIT = 64, PATH_LIMIT = 4000, BATCH = 512, LOCK_STEP_MS = 20, LOCK_STEPS = 3000 };
static const int64_t REMEMBERED_NS = (int64_t)90 * 24 * 3600 * 1000000000;

/* A file that is new, or has changed. */
typedef struct item {
    sdphoto_entry *entry; /* NULL: new */
    char *path;
    struct stat status;
} item;

typedef enum event_kind { INSERTED, REMOVED, CHANGED } event_kind;

typedef struct event {
    event_kind kind;
    sdimage_photos_asset *asset;
} event;

/* One scan. */
typedef struct scan {
    sdphoto_tree *tree;
    const sdphoto_scope *scope;
    sdphoto_watcher watcher;
    int root;
    char **folders;
    size_t folder_count, folder_capacity;
    sdphoto_map scanned; /* folders whose names were all read */
    char **unread;       /* folders that could not be read: what is below stays as it was known */
    size_t unread_count, unread_capacity;
    item *items;
    size_t item_count, item_capacity;
    event *events;
    size_t event_count, event_capacity;
    uint64_t found, read;
    size_t written;
    bool has_observer, is_cancelled, has_memory;
    int root_error;
} scan;

static int64_t modified_of(const struct stat *status) {
    return (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

/* --- Entries. */

static void free_entry(sdphoto_entry *entry) {
    free((char *)(uintptr_t)entry->record.path);
    free(entry);
}

static sdimage_photos_asset *asset_of(const sdphoto_tree *tree, const sdphoto_record *record) {
    const char *slash = strrchr(record->path, '/'), *name = slash ? slash + 1 : record->path;
    char *path = sdphoto_join(tree->root, "/", record->path),
         *album = strndup(record->path, slash ? (size_t)(slash - record->path) : 0);
    sdimage_photos_asset *asset = path && album ? sdphoto_asset_new(record->identifier, path, name) : NULL;
    if (asset && !sdphoto_asset_add_album(asset, album)) {
        sdimage_photos_asset_unref(asset);
        asset = NULL;
    }
    free(path);
    free(album);
    if (!asset)
        return NULL;
    asset->facts = record->facts;
    if (!record->facts.has_date)
        asset->facts.taken_ns = record->modified_ns;
    asset->origin = record->is_shared ? SDIMAGE_PHOTOS_ORIGIN_SHARED : SDIMAGE_PHOTOS_ORIGIN_OWN;
    asset->modified_ns = record->modified_ns;
    asset->file_size = record->size;
    return asset;
}

/* Shows in the library's table what an entry is now, and remembers what there is to tell; `scan` may be NULL. */
static bool publish(sdphoto_tree *tree, const sdphoto_entry *entry, scan *scan) {
    bool is_asset = entry->record.lost_ns == 0 && entry->record.facts.media != 0;
    sdimage_photos_asset *now = is_asset ? asset_of(tree, &entry->record) : NULL;
    if (is_asset && !now)
        return false;
    sdimage_photos_asset *before = sdphoto_library_look(&tree->library, entry->record.identifier);
    pthread_mutex_lock(&tree->library.lock);
    bool is_set = true;
    if (now)
        is_set = sdphoto_library_set(&tree->library, now);
    else
        sdphoto_library_remove(&tree->library, entry->record.identifier);
    pthread_mutex_unlock(&tree->library.lock);
    if (scan && scan->has_observer && (before || now) &&
        sdphoto_grow(&scan->events, scan->event_count, &scan->event_capacity, sizeof *scan->events))
        scan->events[scan->event_count++] = (event){!before ? INSERTED
                                                    : now   ? CHANGED
                                                            : REMOVED,
                                                    sdimage_photos_asset_ref(now ? now : before)};
    sdimage_photos_asset_unref(before);
    sdimage_photos_asset_unref(now);
    return is_set;
}

/* Whether the table of paths has this entry: two rows of a damaged index may tell of one path. */
static void leave_path(sdphoto_tree *tree, const sdphoto_entry *entry) {
    size_t length = strlen(entry->record.path);
    if (sdphoto_map_find(&tree->by_path, entry->record.path, length) == entry)
        sdphoto_map_remove(&tree->by_path, entry->record.path, length);
}

/* Gives an entry another path, which it takes over; it is there. */
static bool move_entry(sdphoto_tree *tree, sdphoto_entry *entry, char *path) {
    if (!path)
        return false;
    leave_path(tree, entry);
    /* Its key goes with another entry that was there. */
    sdphoto_map_remove(&tree->by_path, path, strlen(path));
    free((char *)(uintptr_t)entry->record.path);
    entry->record.path = path;
    entry->record.lost_ns = 0;
    return sdphoto_map_set(&tree->by_path, path, strlen(path), entry);
}

/* A new entry of a record, whose path it takes over. */
static sdphoto_entry *add_entry(sdphoto_tree *tree, const sdphoto_record *record, char *path) {
    sdphoto_entry *entry = calloc(1, sizeof *entry);
    if (!entry || !sdphoto_grow(&tree->entries, tree->count, &tree->capacity, sizeof(sdphoto_entry *)) ||
        !sdphoto_map_set(&tree->by_identifier, record->identifier, strlen(record->identifier), entry)) {
        free(entry);
        free(path);
        return NULL;
    }
    entry->record = *record;
    entry->record.path = path;
    tree->entries[tree->count++] = entry;
    /* The key is the entry's own from here on. */
    sdphoto_map_remove(&tree->by_identifier, record->identifier, strlen(record->identifier));
    sdphoto_map_set(&tree->by_identifier, entry->record.identifier, strlen(record->identifier), entry);
    if (record->lost_ns == 0) {
        sdphoto_map_remove(&tree->by_path, path, strlen(path));
        sdphoto_map_set(&tree->by_path, path, strlen(path), entry);
    }
    return entry;
}

static bool is_same(const sdphoto_record *a, const sdphoto_record *b) {
    return strcmp(a->path, b->path) == 0 && a->device == b->device && a->node == b->node && a->size == b->size &&
           a->modified_ns == b->modified_ns && a->is_known == b->is_known && a->lost_ns == b->lost_ns &&
           a->is_shared == b->is_shared;
}

typedef struct loading {
    sdphoto_tree *tree;
    scan *scan;
} loading;

/* A row of the index, written by another process, or by an earlier one. */
static bool take_record(void *user_data, const sdphoto_record *record) {
    loading *loading = user_data;
    sdphoto_tree *tree = loading->tree;
    sdphoto_entry *entry = sdphoto_map_find(&tree->by_identifier, record->identifier, strlen(record->identifier));
    if (entry && is_same(&entry->record, record))
        return true;
    char *path = sdphoto_join(record->path, NULL, NULL);
    if (!path)
        return false;
    if (!entry) {
        entry = add_entry(tree, record, path);
        return entry && publish(tree, entry, loading->scan);
    }
    leave_path(tree, entry);
    free((char *)(uintptr_t)entry->record.path);
    entry->record = *record;
    entry->record.path = path;
    if (record->lost_ns == 0 && !move_entry(tree, entry, sdphoto_join(path, NULL, NULL)))
        return false;
    return publish(tree, entry, loading->scan);
}

/* Writes an entry, and shows it. */
static void settle(scan *scan, sdphoto_entry *entry) {
    sdphoto_tree *tree = scan->tree;
    sdphoto_index_put(&tree->index, &entry->record);
    if (!publish(tree, entry, scan))
        scan->has_memory = false;
    if (++scan->written % BATCH == 0) {
        sdphoto_index_commit(&tree->index);
        sdphoto_index_begin(&tree->index);
    }
}

/* --- The walk. */

static bool push(char ***texts, size_t *count, size_t *capacity, char *text) {
    if (text && sdphoto_grow(texts, *count, capacity, sizeof **texts)) {
        (*texts)[(*count)++] = text;
        return true;
    }
    free(text);
    return false;
}

static bool goes_on(scan *scan) {
    if (atomic_load(&scan->tree->is_stopping) ||
        (scan->watcher.tell && !scan->watcher.tell(scan->watcher.user_data, scan->found, scan->read)))
        scan->is_cancelled = true;
    return !scan->is_cancelled && scan->has_memory;
}

static bool is_unchanged(const sdphoto_record *record, const struct stat *status) {
    return record->is_known && record->device == (uint64_t)status->st_dev && record->node == (uint64_t)status->st_ino &&
           record->size == (uint64_t)status->st_size && record->modified_ns == modified_of(status);
}

/* A file was seen. Takes the path over. */
static void meet(scan *scan, char *path, const struct stat *status) {
    sdphoto_tree *tree = scan->tree;
    sdphoto_entry *entry = sdphoto_map_find(&tree->by_path, path, strlen(path));
    scan->found++;
    if (entry)
        entry->round = tree->round;
    if (entry && is_unchanged(&entry->record, status)) {
        free(path);
        return;
    }
    if (!sdphoto_grow(&scan->items, scan->item_count, &scan->item_capacity, sizeof *scan->items)) {
        free(path);
        scan->has_memory = false;
        return;
    }
    scan->items[scan->item_count++] = (item){entry, path, *status};
    if (entry)
        entry->item = scan->item_count;
}

/* Names that are not shown: hidden ones, and copies that editors leave behind. */
static bool is_passed_over(const char *name) { return *name == '.' || name[strlen(name) - 1] == '~'; }

static void see(scan *scan, const char *folder, size_t depth, int descriptor, const char *name) {
    struct stat status;
    if (fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    /* A link to a file counts as one; a link to a folder could lead out of the tree, or around in it. */
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
        meet(scan, path, &status);
    else if (!push(&scan->folders, &scan->folder_count, &scan->folder_capacity, path))
        scan->has_memory = false;
}

static size_t depth_of(const char *path) {
    size_t depth = *path ? 1 : 0;
    for (; *path; path++)
        depth += *path == '/';
    return depth;
}

/* Reads a folder; takes its name over. */
static void visit(scan *scan, char *folder) {
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
        if (!is_passed_over(one->d_name))
            see(scan, folder, depth, dirfd(names), one->d_name);
    }
    bool is_read = names && number == 0;
    if (names)
        closedir(names);
    /* A folder that is gone was read: there is nothing in it. */
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

static void walk(scan *scan) {
    const sdphoto_scope *scope = scan->scope;
    for (size_t i = 0; i < (scope->folders ? scope->folder_count : 1); i++)
        if (!push(&scan->folders, &scan->folder_count, &scan->folder_capacity,
                  sdphoto_join(scope->folders ? scope->folders[i] : "", NULL, NULL)))
            scan->has_memory = false;
    while (scan->folder_count && goes_on(scan))
        visit(scan, scan->folders[--scan->folder_count]);
}

/* --- What became of those that were not seen. */

static bool is_below(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return length == 0 || (strncmp(path, folder, length) == 0 && path[length] == '/');
}

static bool is_missing(const scan *scan, const sdphoto_entry *entry) {
    if (entry->record.lost_ns || entry->round == scan->tree->round)
        return false;
    const char *slash = strrchr(entry->record.path, '/');
    if (scan->scope->folders)
        return sdphoto_map_find(&scan->scanned, entry->record.path, slash ? (size_t)(slash - entry->record.path) : 0);
    for (size_t i = 0; i < scan->unread_count; i++)
        if (is_below(entry->record.path, scan->unread[i]))
            return false;
    return true;
}

/* By which a file is known again elsewhere. */
typedef struct traces {
    sdphoto_map by_node, by_digest;
} traces;

enum { NODE_KEY = 2 * sizeof(uint64_t) };

static void add_traces(scan *scan, traces *traces, sdphoto_entry *entry, bool is_gone) {
    /* Device and node lie side by side in a record. */
    bool has_room = sdphoto_map_set(&traces->by_node, &entry->record.device, NODE_KEY, entry);
    if (is_gone && entry->record.is_known && entry->record.size > 0)
        has_room =
            sdphoto_map_set(&traces->by_digest, entry->record.digest, sizeof entry->record.digest, entry) && has_room;
    if (!has_room)
        scan->has_memory = false;
}

static void forget_traces(traces *traces, const sdphoto_entry *entry) {
    if (sdphoto_map_find(&traces->by_node, &entry->record.device, NODE_KEY) == entry)
        sdphoto_map_remove(&traces->by_node, &entry->record.device, NODE_KEY);
    if (sdphoto_map_find(&traces->by_digest, entry->record.digest, sizeof entry->record.digest) == entry)
        sdphoto_map_remove(&traces->by_digest, entry->record.digest, sizeof entry->record.digest);
}

/* The entry that a new path continues: its own file, moved. */
static sdphoto_entry *moved_here(scan *scan, traces *traces, const item *one) {
    uint64_t key[2] = {(uint64_t)one->status.st_dev, (uint64_t)one->status.st_ino};
    sdphoto_entry *entry = sdphoto_map_find(&traces->by_node, key, sizeof key);
    if (!entry || !is_unchanged(&entry->record, &one->status))
        return NULL;
    forget_traces(traces, entry);
    /* Where another file has its place, that one is new. */
    if (entry->item)
        scan->items[entry->item - 1].entry = NULL;
    entry->item = 0;
    return entry;
}

static void note_status(sdphoto_record *record, const struct stat *status) {
    record->device = (uint64_t)status->st_dev;
    record->node = (uint64_t)status->st_ino;
    record->size = (uint64_t)status->st_size;
    record->modified_ns = modified_of(status);
    record->is_shared = status->st_uid != geteuid();
    record->lost_ns = 0;
}

/* Looks into a file. False when it is gone. One that may not be read is looked at again by each scan. */
static bool look_into(scan *scan, const item *one, sdphoto_record *record) {
    int descriptor = sdphoto_open_file(scan->root, one->path);
    if (descriptor < 0 && (errno == ENOENT || errno == ENOTDIR))
        return false;
    *record = (sdphoto_record){.path = one->path, .facts = {.format = SDIMAGE_FORMAT_UNDEFINED}};
    note_status(record, &one->status);
    if (descriptor >= 0) {
        record->is_known = sdphoto_probe(descriptor, record->size, &record->facts, record->digest);
        close(descriptor);
    }
    scan->read++;
    return true;
}

/* A file without an entry: a copy of one that is gone, or new. */
static void take_in(scan *scan, traces *traces, item *one) {
    sdphoto_tree *tree = scan->tree;
    sdphoto_record record;
    if (!look_into(scan, one, &record))
        return;
    sdphoto_entry *entry = NULL;
    if (record.is_known && record.size > 0)
        entry = sdphoto_map_find(&traces->by_digest, record.digest, sizeof record.digest);
    char *path = one->path;
    one->path = NULL;
    if (entry && entry->record.size == record.size) {
        forget_traces(traces, entry);
        char identifier[sizeof record.identifier];
        memcpy(identifier, entry->record.identifier, sizeof identifier);
        if (!move_entry(tree, entry, path))
            scan->has_memory = false;
        /* The path is the entry's own by now. */
        record.path = entry->record.path;
        memcpy(record.identifier, identifier, sizeof identifier);
        entry->record = record;
    } else if (sdphoto_new_identifier(record.identifier)) {
        entry = add_entry(tree, &record, path);
    } else {
        free(path);
        entry = NULL;
    }
    if (!entry) {
        scan->has_memory = false;
        return;
    }
    entry->round = tree->round;
    settle(scan, entry);
}

/* A file whose entry is known: what is in it has changed. */
static void look_again(scan *scan, item *one) {
    sdphoto_record record, *known = &one->entry->record;
    bool was_unreadable = !known->is_known && !known->facts.media;
    if (!look_into(scan, one, &record)) {
        one->entry->round = 0;
        return;
    }
    /* A photo that may not be read any more stays one. */
    if (!record.is_known) {
        record.facts = known->facts;
        memcpy(record.digest, known->digest, sizeof record.digest);
        if (was_unreadable || is_same(&record, known)) {
            note_status(known, &one->status);
            return;
        }
    }
    memcpy(record.identifier, known->identifier, sizeof record.identifier);
    record.path = known->path;
    *known = record;
    settle(scan, one->entry);
}

static void lose(scan *scan, sdphoto_entry *entry) {
    leave_path(scan->tree, entry);
    entry->record.lost_ns = sdphoto_now_ns();
    settle(scan, entry);
}

/* First those that moved, because another file may have their place; then all that must be read. */
static void work_off(scan *scan) {
    sdphoto_tree *tree = scan->tree;
    traces traces = {{NULL, 0, 0}, {NULL, 0, 0}};
    for (size_t i = 0; i < tree->count && scan->item_count; i++) {
        sdphoto_entry *entry = tree->entries[i];
        bool is_gone = entry->record.lost_ns || is_missing(scan, entry);
        bool is_other = entry->item && entry->record.node != (uint64_t)scan->items[entry->item - 1].status.st_ino;
        if (is_gone || is_other)
            add_traces(scan, &traces, entry, is_gone);
    }
    for (size_t i = 0; i < scan->item_count && scan->has_memory; i++) {
        item *one = &scan->items[i];
        sdphoto_entry *entry = one->entry ? NULL : moved_here(scan, &traces, one);
        if (!entry)
            continue;
        if (!move_entry(tree, entry, one->path))
            scan->has_memory = false;
        one->path = NULL;
        entry->round = tree->round;
        note_status(&entry->record, &one->status);
        settle(scan, entry);
    }
    for (size_t i = 0; i < scan->item_count && (i % 32 || goes_on(scan)) && scan->has_memory; i++) {
        item *one = &scan->items[i];
        if (one->path && one->entry)
            look_again(scan, one);
        else if (one->path)
            take_in(scan, &traces, one);
    }
    for (size_t i = 0; i < tree->count && goes_on(scan); i++)
        if (is_missing(scan, tree->entries[i]))
            lose(scan, tree->entries[i]);
    sdphoto_map_clear(&traces.by_node);
    sdphoto_map_clear(&traces.by_digest);
}

/* --- The whole scan. */

/* What the kernel said of names that changed, exactly: also of files that were changed right after. */
static void take_moves(scan *scan) {
    sdphoto_tree *tree = scan->tree;
    for (size_t m = 0; m < scan->scope->move_count; m++) {
        const sdphoto_move *move = &scan->scope->moves[m];
        size_t length = strlen(move->from);
        for (size_t i = 0; i < tree->count; i++) {
            sdphoto_entry *entry = tree->entries[i];
            const char *path = entry->record.path;
            bool is_it = strcmp(path, move->from) == 0 || (move->is_folder && is_below(path, move->from));
            if (entry->record.lost_ns || !is_it)
                continue;
            char *to = sdphoto_join(move->to, path + length, NULL);
            if (!move_entry(tree, entry, to))
                scan->has_memory = false;
            else
                settle(scan, entry);
        }
    }
}

static bool wait_for_lock(scan *scan) {
    for (int i = 0; i < LOCK_STEPS; i++) {
        if (sdphoto_index_try_lock(&scan->tree->index))
            return true;
        /* No call waits for the lock of another process and can be stopped as well. */
        poll(NULL, 0, LOCK_STEP_MS);
        if (!goes_on(scan))
            return false;
    }
    return false;
}

static void catch_up(scan *scan) {
    sdphoto_tree *tree = scan->tree;
    unsigned generation = tree->index.generation;
    if (sdphoto_index_has_news(&tree->index)) {
        loading loading = {tree, scan};
        if (!sdphoto_index_load(&tree->index, take_record, &loading))
            scan->has_memory = false;
    }
    tree->needs_rewrite = tree->needs_rewrite || generation != tree->index.generation;
}

static sdimage_status scan_locked(scan *scan, sdimage_error **error) {
    sdphoto_tree *tree = scan->tree;
    if (!wait_for_lock(scan))
        return scan->is_cancelled ? sdphoto_fail(error, SDIMAGE_STATUS_CANCELLED, "the scan was stopped")
                                  : sdphoto_fail(error, SDIMAGE_STATUS_BUSY, "another process looks at the library");
    catch_up(scan);
    tree->round++;
    for (size_t i = 0; i < tree->count; i++)
        tree->entries[i]->item = 0;
    sdphoto_index_begin(&tree->index);
    for (size_t i = 0; tree->needs_rewrite && i < tree->count; i++)
        sdphoto_index_put(&tree->index, &tree->entries[i]->record);
    tree->needs_rewrite = false;
    take_moves(scan);
    walk(scan);
    if (!scan->root_error && !scan->is_cancelled && scan->has_memory)
        work_off(scan);
    if (!scan->scope->folders)
        sdphoto_index_forget_lost(&tree->index, sdphoto_now_ns() - REMEMBERED_NS);
    sdphoto_index_commit(&tree->index);
    sdphoto_index_unlock(&tree->index);
    if (!scan->has_memory)
        return sdphoto_fail(error, SDIMAGE_STATUS_NO_MEMORY, "no memory for the library");
    if (scan->root_error)
        return sdphoto_fail(error, SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED, "the folder of the library may not be read");
    if (scan->is_cancelled)
        return sdphoto_fail(error, SDIMAGE_STATUS_CANCELLED, "the scan was stopped");
    return SDIMAGE_STATUS_OK;
}

static sdphoto_observer *observer_of(sdphoto_tree *tree) {
    pthread_mutex_lock(&tree->library.lock);
    sdphoto_observer *observer = tree->observer;
    if (observer)
        atomic_fetch_add(&observer->references, 1);
    pthread_mutex_unlock(&tree->library.lock);
    return observer;
}

static void drop_observer(sdphoto_observer *observer) {
    if (!observer || atomic_fetch_sub(&observer->references, 1) != 1)
        return;
    if (observer->destroy)
        observer->destroy(observer->user_data);
    free(observer);
}

static void tell(const scan *scan, const sdphoto_observer *observer) {
    for (size_t i = 0; i < scan->event_count; i++) {
        sdimage_photos_asset *asset = scan->events[i].asset;
        const sdimage_photos_observer_vtable *table = &observer->table;
        void (*call)(void *, sdimage_photos_asset *) = scan->events[i].kind == INSERTED  ? table->inserted
                                                       : scan->events[i].kind == REMOVED ? table->removed
                                                                                         : table->changed;
        if (call)
            call(observer->user_data, asset);
    }
}

static void close_scan(scan *scan) {
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

/* What this thread scans: who is told how far it is must not wait for another scan of it. */
static _Thread_local const sdphoto_tree *scanned_here;

sdimage_status sdphoto_tree_scan(sdphoto_tree *tree, const sdphoto_scope *scope, sdphoto_watcher watcher,
                                 sdimage_error **error) {
    sdphoto_observer *observer = scope->is_first ? NULL : observer_of(tree);
    scan scan = {
        .tree = tree, .scope = scope, .watcher = watcher, .has_memory = true, .has_observer = observer != NULL};
    sdimage_status status;
    if (pthread_mutex_lock(&tree->scanning) != 0) {
        drop_observer(observer);
        return sdphoto_fail(error, SDIMAGE_STATUS_WOULD_DEADLOCK, "called by what a scan tells");
    }
    const sdphoto_tree *before = scanned_here;
    scanned_here = tree;
    scan.root = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (scan.root < 0)
        status = errno == ENOENT ? sdphoto_fail(error, SDIMAGE_STATUS_NOT_FOUND, "the folder of the library is gone")
                                 : sdphoto_fail(error, SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED,
                                                "the folder of the library may not be read");
    else
        status = scan_locked(&scan, error);
    scanned_here = before;
    pthread_mutex_unlock(&tree->scanning);
    if (observer)
        tell(&scan, observer);
    drop_observer(observer);
    close_scan(&scan);
    return status;
}

/* --- The library. */

static sdimage_status refresh(sdimage_photos_library *library, sdphoto_need need, sdphoto_watcher watcher,
                              sdimage_error **error) {
    sdphoto_tree *tree = (sdphoto_tree *)library;
    if (tree->process != (int)getpid())
        return sdphoto_fail(error, SDIMAGE_STATUS_FORKED, "the library was opened before the fork");
    if (need == SDPHOTO_NEED_INDEX && tree->has_thread) {
        pthread_mutex_lock(&library->lock);
        while (!tree->is_first_over && scanned_here != tree)
            pthread_cond_wait(&tree->first_over, &library->lock);
        sdimage_status status = tree->first_status;
        bool is_current = library->is_watching && tree->is_first_over;
        pthread_mutex_unlock(&library->lock);
        if (is_current && status >= 0)
            return status;
    }
    sdphoto_scope scope = {0};
    return sdphoto_tree_scan(tree, &scope, watcher, error);
}

static void close_tree(sdimage_photos_library *library) {
    sdphoto_tree *tree = (sdphoto_tree *)library;
    sdphoto_watch_stop(tree);
    drop_observer(tree->observer);
    /* SQLite wants a connection left alone that came through a fork. */
    if (tree->process == (int)getpid())
        sdphoto_index_close(&tree->index);
    for (size_t i = 0; i < tree->count; i++)
        free_entry(tree->entries[i]);
    free(tree->entries);
    sdphoto_map_clear(&tree->by_path);
    sdphoto_map_clear(&tree->by_identifier);
    pthread_cond_destroy(&tree->first_over);
    pthread_mutex_destroy(&tree->scanning);
    free(tree->root);
}

static const sdphoto_kind_of_library tree_kind = {refresh, close_tree};

bool sdphoto_is_tree(const sdimage_photos_library *library) { return library->of == &tree_kind; }

sdimage_status sdphoto_tree_set_observer(sdimage_photos_library *library, const sdimage_photos_observer_vtable *vtable,
                                         void *user_data, sdimage_destroy_fn destroy, sdimage_error **error) {
    sdphoto_tree *tree = (sdphoto_tree *)library;
    sdphoto_observer *observer = vtable ? calloc(1, sizeof *observer) : NULL;
    if (!observer && destroy)
        destroy(user_data);
    if (vtable && !observer)
        return sdphoto_fail(error, SDIMAGE_STATUS_NO_MEMORY, "no memory for an observer");
    if (observer) {
        atomic_init(&observer->references, 1);
        memcpy(&observer->table, vtable, vtable->size < sizeof *vtable ? vtable->size : sizeof *vtable);
        observer->user_data = user_data;
        observer->destroy = destroy;
    }
    pthread_mutex_lock(&library->lock);
    sdphoto_observer *before = tree->observer;
    tree->observer = observer;
    pthread_mutex_unlock(&library->lock);
    drop_observer(before);
    return SDIMAGE_STATUS_OK;
}

struct sdimage_photos_library_config {
    sdphoto_object object;
    char *index_folder;
    bool is_still;
};

sdimage_photos_library_config *sdimage_photos_library_config_new(void) {
    return sdphoto_new(SDPHOTO_LIBRARY_CONFIG, sizeof(sdimage_photos_library_config));
}

sdimage_photos_library_config *sdimage_photos_library_config_ref(sdimage_photos_library_config *config) {
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
    free(config->index_folder);
    config->index_folder = path ? sdphoto_join(path, NULL, NULL) : NULL;
}

void sdimage_photos_library_config_set_watch(sdimage_photos_library_config *config, bool watch) {
    if (sdphoto_is(config, SDPHOTO_LIBRARY_CONFIG))
        config->is_still = !watch;
}

/* A line of user-dirs.dirs: XDG_PICTURES_DIR="$HOME/Pictures", absolute or below the home folder; to be freed. */
static char *pictures_of(const char *line, const char *home) {
    static const char name[] = "XDG_PICTURES_DIR=\"", below[] = "$HOME";
    while (*line == ' ' || *line == '\t')
        line++;
    if (strncmp(line, name, sizeof name - 1) != 0)
        return NULL;
    line += sizeof name - 1;
    bool is_below = strncmp(line, below, sizeof below - 1) == 0;
    if (is_below)
        line += sizeof below - 1;
    char *made = *line == '/' || (is_below && *line == '"') ? sdphoto_join(is_below ? home : "", line, NULL) : NULL;
    char *to = made ? made + (is_below ? strlen(home) : 0) : NULL;
    for (const char *from = to; from && *from && *from != '"'; from++) {
        if (*from == '\\' && from[1])
            from++;
        *to++ = *from;
    }
    if (to)
        *to = 0;
    return made;
}

char *sdphoto_pictures_folder(void) {
    const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");
    char line[4096], *pictures = NULL;
    if (!home || *home != '/')
        return NULL;
    char *path = config && *config == '/' ? sdphoto_join(config, "/user-dirs.dirs", NULL)
                                          : sdphoto_join(home, "/.config/user-dirs.dirs", NULL);
    FILE *file = path ? fopen(path, "re") : NULL;
    while (file && !pictures && fgets(line, sizeof line, file))
        pictures = pictures_of(line, home);
    if (file)
        fclose(file);
    free(path);
    return pictures ? pictures : sdphoto_join(home, "/Pictures", NULL);
}

/* The folder itself, without links; to be freed. */
static sdimage_status resolve(const char *path, char **root, sdimage_error **error) {
    char *wanted = path ? sdphoto_join(path, NULL, NULL) : sdphoto_pictures_folder();
    struct stat status;
    if (!wanted)
        return sdphoto_fail(error, SDIMAGE_STATUS_NOT_FOUND, "no folder for pictures is known");
    *root = realpath(wanted, NULL);
    int number = errno;
    free(wanted);
    int descriptor = *root ? open(*root, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    if (*root && descriptor < 0)
        number = errno;
    bool is_folder = descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
    if (descriptor >= 0)
        close(descriptor);
    if (is_folder)
        return SDIMAGE_STATUS_OK;
    if (descriptor >= 0)
        return sdphoto_fail(error, SDIMAGE_STATUS_NOT_A_FILE, "the library is no folder");
    if (number == EACCES || number == EPERM)
        return sdphoto_fail(error, SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED, "the folder of the library may not be read");
    return sdphoto_fail_file(error, number);
}

static sdphoto_tree *new_tree(char *root) {
    sdphoto_tree *tree = sdphoto_library_new(&tree_kind, "tree", sizeof *tree);
    if (!tree) {
        free(root);
        return NULL;
    }
    tree->root = root;
    tree->process = (int)getpid();
    tree->index.lock = tree->wake = tree->inotify = -1;
    /* A scan tells its caller how far it is: who asks for another one there is refused. */
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&tree->scanning, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_cond_init(&tree->first_over, NULL);
    return tree;
}

/* Where a folder is, or would be made, without links; to be freed. */
static char *place_of(const char *folder) {
    char *start = sdphoto_join(folder, NULL, NULL), *place = NULL;
    while (start) {
        char *there = realpath(*start ? start : ".", NULL), *slash = strrchr(start, '/');
        bool is_known = there || errno != ENOENT || !*start;
        if (there)
            place = sdphoto_join(there, "/", folder + strlen(start));
        free(there);
        if (is_known)
            break;
        *(slash == start && start[1] ? slash + 1 : slash ? slash : start) = 0;
    }
    free(start);
    return place;
}

sdimage_status sdimage_photos_library_open(const char *path, const sdimage_photos_library_config *config,
                                           sdimage_photos_library **library, sdimage_error **error) {
    char *root = NULL;
    if (!library)
        return sdphoto_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "no place for the library");
    if (config && !sdphoto_is(config, SDPHOTO_LIBRARY_CONFIG))
        return sdphoto_fail(error, SDIMAGE_STATUS_BAD_HANDLE, "no configuration of a library");
    sdimage_status status = resolve(path, &root, error);
    if (status < 0) {
        free(root);
        return status;
    }
    sdphoto_tree *tree = new_tree(root);
    char *folder = config && config->index_folder ? sdphoto_join(config->index_folder, NULL, NULL)
                                                  : sdphoto_cache_folder("sdimage-photos");
    char *place = folder ? place_of(folder) : NULL;
    if (!tree || !folder)
        status = sdphoto_fail(error, SDIMAGE_STATUS_CACHE_UNUSABLE, "no folder for the index");
    else if (place && is_below(place, tree->root))
        status = sdphoto_fail(error, SDIMAGE_STATUS_CACHE_UNUSABLE, "the index would lie in the library");
    else
        status = sdphoto_index_open(&tree->index, folder, tree->root, error);
    free(folder);
    free(place);
    loading loading = {tree, NULL};
    if (status >= 0 && !sdphoto_index_load(&tree->index, take_record, &loading))
        status = sdphoto_fail(error, SDIMAGE_STATUS_NO_MEMORY, "no memory for the index");
    if (status < 0) {
        sdimage_photos_library_unref(tree ? &tree->library : NULL);
        return status;
    }
    if (!config || !config->is_still)
        sdphoto_watch_start(tree);
    *library = &tree->library;
    return status;
}
