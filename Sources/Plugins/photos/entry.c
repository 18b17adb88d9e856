/* entry.c: the entries of a tree, in memory and in its index (see entry.h). All functions but `free` require
 * `scanning`.
 *
 * The tables of a tree have keys inside their values: the path and the identifier of an entry. Before such a text
 * changes or is freed, its key is removed from the table. */
#include "entry.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

/* Rows between two commits. */
enum { BATCH = 512 };

void sdphoto_entry_free(sdphoto_entry *entry) {
    /* The path is const only for users of the record. */
    free((char *)(uintptr_t)entry->record.path);
    free(entry);
}

/* Makes the asset of a record; NULL if memory is exhausted. Its album is the folder of the file. */
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
    /* The time of the file stands for a missing date. */
    asset->info = record->info;
    if (!record->info.has_date)
        asset->info.taken_ns = record->modified_ns;
    asset->origin = record->is_shared ? SDIMAGE_PHOTOS_ORIGIN_SHARED : SDIMAGE_PHOTOS_ORIGIN_OWN;
    asset->modified_ns = record->modified_ns;
    asset->file_size = record->size;
    return asset;
}

/* Updates the library's table with the state of an entry and records the event for observers; `updates` may be NULL. */
static bool publish(sdphoto_tree *tree, const sdphoto_entry *entry, sdphoto_updates *updates) {
    /* Files that are no photos have entries too, so that they are not examined again. */
    bool is_asset = entry->record.lost_ns == 0 && entry->record.info.media != 0;
    sdimage_photos_asset *now = is_asset ? asset_of(tree, &entry->record) : NULL;
    if (is_asset && !now)
        return false;
    sdimage_photos_asset *before = sdphoto_library_lookup(&tree->library, entry->record.identifier);
    /* Only here the table of assets changes, which fetches read under this lock. */
    pthread_mutex_lock(&tree->library.lock);
    bool is_set = true;
    if (now)
        is_set = sdphoto_library_set(&tree->library, now);
    else
        sdphoto_library_remove(&tree->library, entry->record.identifier);
    pthread_mutex_unlock(&tree->library.lock);
    if (updates && updates->batch && (before || now))
        sdphoto_batch_add(updates->batch,
                          !before ? SDPHOTO_INSERTED
                          : now   ? SDPHOTO_CHANGED
                                  : SDPHOTO_REMOVED,
                          now ? now : before);
    sdimage_photos_asset_unref(before);
    sdimage_photos_asset_unref(now);
    return is_set;
}

/* Removes the entry only if the path maps to it: two rows of a damaged index may have the same path. */
void sdphoto_entry_remove_path(sdphoto_tree *tree, const sdphoto_entry *entry) {
    size_t length = strlen(entry->record.path);
    if (sdphoto_map_find(&tree->by_path, entry->record.path, length) == entry)
        sdphoto_map_remove(&tree->by_path, entry->record.path, length);
}

bool sdphoto_entry_move(sdphoto_tree *tree, sdphoto_entry *entry, char *path) {
    if (!path)
        return false;
    sdphoto_entry_remove_path(tree, entry);
    /* The key belongs to another entry that had this path. */
    sdphoto_map_remove(&tree->by_path, path, strlen(path));
    free((char *)(uintptr_t)entry->record.path);
    entry->record.path = path;
    entry->record.lost_ns = 0;
    return sdphoto_map_set(&tree->by_path, path, strlen(path), entry);
}

/* The identifiers of an index are unique; a new one is random. */
sdphoto_entry *sdphoto_entry_add(sdphoto_tree *tree, const sdphoto_record *record, char *path) {
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
    /* From here on the key belongs to the entry. */
    sdphoto_map_remove(&tree->by_identifier, record->identifier, strlen(record->identifier));
    sdphoto_map_set(&tree->by_identifier, entry->record.identifier, strlen(record->identifier), entry);
    /* A damaged index may have another entry with the path, whose key is removed. */
    if (record->lost_ns == 0) {
        sdphoto_map_remove(&tree->by_path, path, strlen(path));
        sdphoto_map_set(&tree->by_path, path, strlen(path), entry);
    }
    return entry;
}

/* Counts a row that was written. A long scan that is interrupted keeps what it has found. */
static void count_row(sdphoto_tree *tree, sdphoto_updates *updates) {
    if (++updates->written % BATCH == 0) {
        sdphoto_index_commit(&tree->index);
        sdphoto_index_begin(&tree->index);
    }
}

void sdphoto_entry_store(sdphoto_tree *tree, sdphoto_entry *entry, sdphoto_updates *updates) {
    sdphoto_index_put(&tree->index, &entry->record);
    if (!publish(tree, entry, updates))
        updates->has_memory = false;
    count_row(tree, updates);
}

void sdphoto_entries_forget(sdphoto_tree *tree, int64_t before_ns, sdphoto_updates *updates) {
    size_t count = 0;
    for (size_t i = 0; i < tree->count; i++) {
        sdphoto_entry *entry = tree->entries[i];
        const sdphoto_record *record = &entry->record;
        if (!record->lost_ns || (record->info.media && record->lost_ns >= before_ns)) {
            tree->entries[count++] = entry;
            continue;
        }
        sdphoto_index_remove(&tree->index, record->identifier);
        count_row(tree, updates);
        sdphoto_entry_remove_path(tree, entry);
        sdphoto_map_remove(&tree->by_identifier, record->identifier, strlen(record->identifier));
        sdphoto_entry_free(entry);
    }
    tree->count = count;
}

/* Arguments of take_record. */
typedef struct loading {
    sdphoto_tree *tree;
    sdphoto_updates *updates;
} loading;

/* Handles a row of the index, written by another or an earlier process. */
static bool take_record(void *user_data, const sdphoto_record *record) {
    loading *loading = user_data;
    sdphoto_tree *tree = loading->tree;
    sdphoto_entry *entry = sdphoto_map_find(&tree->by_identifier, record->identifier, strlen(record->identifier));
    /* Most rows are those that this process has loaded or written before. */
    if (entry && sdphoto_record_is_same(&entry->record, record))
        return true;
    char *path = sdphoto_join(record->path, NULL, NULL);
    if (!path)
        return false;
    if (!entry) {
        entry = sdphoto_entry_add(tree, record, path);
        return entry && publish(tree, entry, loading->updates);
    }
    sdphoto_entry_remove_path(tree, entry);
    free((char *)(uintptr_t)entry->record.path);
    entry->record = *record;
    entry->record.path = path;
    if (record->lost_ns == 0 && !sdphoto_entry_move(tree, entry, sdphoto_join(path, NULL, NULL)))
        return false;
    return publish(tree, entry, loading->updates);
}

bool sdphoto_entries_load(sdphoto_tree *tree, sdphoto_updates *updates) {
    loading loading = {tree, updates};
    return sdphoto_index_load(&tree->index, take_record, &loading);
}
