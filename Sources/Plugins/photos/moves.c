/* moves.c: the changes between the entries of a tree and the files that a walk has found (see moves.h). Part of a scan,
 * under `scanning`.
 *
 * A file keeps its identifier when it is moved. It is recognized, in this order, by
 *
 * 1. a rename that the kernel has reported,
 * 2. device, inode, size and time of a file that is missing from its old path,
 * 3. the digest of a file that is missing from its old path: it was copied, for example to another disk, and then
 *    deleted. */
#include "moves.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"
#include "support.h"
#include "walk.h"

/* Reports that the walk could not read a folder of a path. Looks up each of them: there may be as many unreadable
 * folders as entries. The folder of the tree is none of them, because without it a scan fails. */
static bool is_below_unread(const sdphoto_scan *scan, const char *path) {
    const char *slash = scan->unread.count ? strchr(path, '/') : NULL;
    while (slash && !sdphoto_map_find(&scan->unread, path, (size_t)(slash - path)))
        slash = strchr(slash + 1, '/');
    return slash != NULL;
}

/* Reports that the walk should have found the file of an entry, and has not. */
static bool is_missing(const sdphoto_scan *scan, const sdphoto_entry *entry) {
    if (entry->record.lost_ns || entry->round == scan->tree->round)
        return false;
    const char *slash = strrchr(entry->record.path, '/');
    /* A scan of some folders knows nothing about the others. */
    if (scan->scope->folders)
        return sdphoto_map_find(&scan->scanned, entry->record.path, slash ? (size_t)(slash - entry->record.path) : 0);
    return !is_below_unread(scan, entry->record.path);
}

/* Lookup tables that recognize a moved file. */
typedef struct traces {
    sdphoto_map by_file, by_digest;
} traces;

/* Adds an entry whose file may have moved. Its digest counts only if the file is gone. */
static void add_traces(sdphoto_scan *scan, traces *traces, sdphoto_entry *entry, bool is_gone) {
    bool has_room = sdphoto_map_set(&traces->by_file, &entry->record.file, sizeof entry->record.file, entry);
    if (is_gone && entry->record.is_known && entry->record.size > 0)
        has_room =
            sdphoto_map_set(&traces->by_digest, entry->record.digest, sizeof entry->record.digest, entry) && has_room;
    if (!has_room)
        scan->updates.has_memory = false;
}

/* Removes an entry that was recognized: it can continue at one path only. */
static void forget_traces(traces *traces, const sdphoto_entry *entry) {
    if (sdphoto_map_find(&traces->by_file, &entry->record.file, sizeof entry->record.file) == entry)
        sdphoto_map_remove(&traces->by_file, &entry->record.file, sizeof entry->record.file);
    if (sdphoto_map_find(&traces->by_digest, entry->record.digest, sizeof entry->record.digest) == entry)
        sdphoto_map_remove(&traces->by_digest, entry->record.digest, sizeof entry->record.digest);
}

/* Returns the entry that a new path continues: the same file, moved. */
static sdphoto_entry *take_moved(sdphoto_scan *scan, traces *traces, const sdphoto_item *one) {
    sdphoto_file_key key = {(uint64_t)one->status.st_dev, (uint64_t)one->status.st_ino};
    sdphoto_entry *entry = sdphoto_map_find(&traces->by_file, &key, sizeof key);
    if (!entry || !sdphoto_record_is_unchanged(&entry->record, &one->status))
        return NULL;
    forget_traces(traces, entry);
    /* Another file took its path: that one is new. */
    if (entry->item)
        scan->items[entry->item - 1].entry = NULL;
    entry->item = 0;
    return entry;
}

/* Examines a file. False if it is gone. An unreadable file is examined again by each scan. */
static bool examine(sdphoto_scan *scan, const sdphoto_item *one, sdphoto_record *record) {
    int descriptor = sdphoto_open_file(scan->root, one->path);
    if (descriptor < 0 && (errno == ENOENT || errno == ENOTDIR))
        return false;
    *record = (sdphoto_record){.path = one->path, .info = {.format = SDIMAGE_FORMAT_UNKNOWN}};
    sdphoto_record_note(record, &one->status);
    if (descriptor >= 0) {
        record->is_known = sdphoto_probe(descriptor, record->size, &record->info, record->digest);
        close(descriptor);
    }
    scan->read++;
    return true;
}

/* Handles a file without an entry: a copy of one that is gone, or a new file. */
static void add_file(sdphoto_scan *scan, traces *traces, sdphoto_item *one) {
    sdphoto_tree *tree = scan->tree;
    sdphoto_record record;
    if (!examine(scan, one, &record))
        return;
    sdphoto_entry *entry = NULL;
    if (record.is_known && record.size > 0)
        entry = sdphoto_map_find(&traces->by_digest, record.digest, sizeof record.digest);
    /* The entry takes over the path. */
    char *path = one->path;
    one->path = NULL;
    /* A copy of a file that is gone continues its entry, with its identifier. */
    if (entry && entry->record.size == record.size) {
        forget_traces(traces, entry);
        char identifier[sizeof record.identifier];
        memcpy(identifier, entry->record.identifier, sizeof identifier);
        if (!sdphoto_entry_move(tree, entry, path))
            scan->updates.has_memory = false;
        /* The path belongs to the entry now. */
        record.path = entry->record.path;
        memcpy(record.identifier, identifier, sizeof identifier);
        entry->record = record;
    } else if (sdphoto_new_identifier(record.identifier)) {
        entry = sdphoto_entry_add(tree, &record, path);
    } else {
        free(path);
        entry = NULL;
    }
    if (!entry) {
        scan->updates.has_memory = false;
        return;
    }
    entry->round = tree->round;
    sdphoto_entry_store(scan->tree, entry, &scan->updates);
}

/* Handles a file with an entry whose content has changed. */
static void update_file(sdphoto_scan *scan, sdphoto_item *one) {
    sdphoto_record record, *known = &one->entry->record;
    bool was_unreadable = !known->is_known && !known->info.media;
    if (!examine(scan, one, &record)) {
        /* It vanished after the walk: is_missing then finds it. */
        one->entry->round = 0;
        return;
    }
    /* A photo that becomes unreadable remains a photo. */
    if (!record.is_known) {
        record.info = known->info;
        memcpy(record.digest, known->digest, sizeof record.digest);
        /* Nothing new: no row is written and no event sent. */
        if (was_unreadable || sdphoto_record_is_same(&record, known)) {
            sdphoto_record_note(known, &one->status);
            return;
        }
    }
    memcpy(record.identifier, known->identifier, sizeof record.identifier);
    record.path = known->path;
    *known = record;
    sdphoto_entry_store(scan->tree, one->entry, &scan->updates);
}

/* Notes that a file is gone. The entry of a photo stays, so that a file that returns keeps its identifier. */
static void mark_lost(sdphoto_scan *scan, sdphoto_entry *entry) {
    sdphoto_entry_remove_path(scan->tree, entry);
    entry->record.lost_ns = sdphoto_now_ns();
    sdphoto_entry_store(scan->tree, entry, &scan->updates);
}

/* Handles moved files first, because another file may have taken their path; then all files that must be read. */
void sdphoto_scan_process_items(sdphoto_scan *scan) {
    sdphoto_tree *tree = scan->tree;
    traces traces = {{NULL, 0, 0}, {NULL, 0, 0}};
    /* Without items no file has moved. */
    for (size_t i = 0; i < tree->count && scan->item_count; i++) {
        sdphoto_entry *entry = tree->entries[i];
        bool is_gone = entry->record.lost_ns || is_missing(scan, entry);
        /* Another file has taken the path. */
        bool is_other = entry->item && entry->record.file.node != (uint64_t)scan->items[entry->item - 1].status.st_ino;
        if (is_gone || is_other)
            add_traces(scan, &traces, entry, is_gone);
    }
    for (size_t i = 0; i < scan->item_count && scan->updates.has_memory; i++) {
        sdphoto_item *one = &scan->items[i];
        sdphoto_entry *entry = one->entry ? NULL : take_moved(scan, &traces, one);
        if (!entry)
            continue;
        if (!sdphoto_entry_move(tree, entry, one->path))
            scan->updates.has_memory = false;
        one->path = NULL;
        entry->round = tree->round;
        sdphoto_record_note(&entry->record, &one->status);
        sdphoto_entry_store(scan->tree, entry, &scan->updates);
    }
    for (size_t i = 0; i < scan->item_count; i++) {
        sdphoto_item *one = &scan->items[i];
        /* Items without a path were handled above. */
        if (!one->path)
            continue;
        /* For each file, because reading one may take long. */
        if (!sdphoto_scan_continues(scan))
            break;
        if (one->entry)
            update_file(scan, one);
        else
            add_file(scan, &traces, one);
    }
    /* Last, because moved files are missing until they are recognized. */
    for (size_t i = 0; i < tree->count && sdphoto_scan_continues(scan); i++)
        if (is_missing(scan, tree->entries[i]))
            mark_lost(scan, tree->entries[i]);
    sdphoto_map_clear(&traces.by_file);
    sdphoto_map_clear(&traces.by_digest);
}

/* Continues an entry at a new path, which it takes over. */
static void apply_move(sdphoto_scan *scan, sdphoto_entry *entry, char *to) {
    if (!sdphoto_entry_move(scan->tree, entry, to))
        scan->updates.has_memory = false;
    else
        sdphoto_entry_store(scan->tree, entry, &scan->updates);
}

/* Applies the rename of a folder to all entries below it. */
static void apply_folder_move(sdphoto_scan *scan, const sdphoto_move *move) {
    sdphoto_tree *tree = scan->tree;
    size_t length = strlen(move->from);
    for (size_t i = 0; i < tree->count; i++) {
        sdphoto_entry *entry = tree->entries[i];
        const char *path = entry->record.path;
        if (entry->record.lost_ns || !sdphoto_is_below(path, move->from))
            continue;
        /* A rename before this one has replaced its file, which the walk will miss. */
        if (sdphoto_map_find(&tree->by_path, path, strlen(path)) != entry)
            continue;
        /* The rest of the path stays below a renamed folder. */
        apply_move(scan, entry, sdphoto_join(move->to, path + length, NULL));
    }
}

/* Applies the renames reported by the kernel, which identify files exactly, even those changed right afterwards. The
 * queue of the kernel holds thousands: a renamed file is looked up, and only folders are compared with all entries. */
void sdphoto_scan_apply_moves(sdphoto_scan *scan) {
    for (size_t m = 0; m < scan->scope->move_count && sdphoto_scan_continues(scan); m++) {
        const sdphoto_move *move = &scan->scope->moves[m];
        /* The walk will not find it. The entry stays, for the file that takes its path next; a file that gets another
         * name later is recognized by its inode. */
        const char *slash = strrchr(move->to, '/');
        if (sdphoto_is_skipped(slash ? slash + 1 : move->to))
            continue;
        sdphoto_entry *entry = sdphoto_map_find(&scan->tree->by_path, move->from, strlen(move->from));
        if (entry && !entry->record.lost_ns)
            apply_move(scan, entry, sdphoto_join(move->to, NULL, NULL));
        if (move->is_folder)
            apply_folder_move(scan, move);
    }
}
