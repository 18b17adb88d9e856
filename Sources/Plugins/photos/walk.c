/* walk.c: reading of folders during a scan (see walk.h). Files that match their entry are done; others are queued for
 * moves.c. */
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folder_watch.h"
#include "support.h"

/* Limits: depth of folders and length of paths, beyond which they are skipped. */
enum { DEPTH_LIMIT = 64, PATH_LIMIT = 4000 };

/* Appends a text, which it takes over; false if it is NULL or memory is exhausted. */
static bool push(char ***texts, size_t *count, size_t *capacity, char *text) {
    if (text && sdphoto_grow(texts, *count, capacity, sizeof **texts)) {
        (*texts)[(*count)++] = text;
        return true;
    }
    free(text);
    return false;
}

/* Handles a file of the walk. Takes over the path. */
static void visit_file(sdphoto_scan *scan, char *path, const struct stat *status) {
    sdphoto_tree *tree = scan->tree;
    sdphoto_entry *entry = sdphoto_map_find(&tree->by_path, path, strlen(path));
    scan->found++;
    if (entry)
        entry->round = tree->round;
    /* The file need not be opened: device, inode, size and time are the same. */
    if (entry && sdphoto_record_is_unchanged(&entry->record, status)) {
        free(path);
        return;
    }
    if (!sdphoto_grow(&scan->items, scan->item_count, &scan->item_capacity, sizeof *scan->items)) {
        free(path);
        scan->updates.has_memory = false;
        return;
    }
    scan->items[scan->item_count++] = (sdphoto_item){entry, path, *status};
    if (entry)
        /* From 1, because 0 stands for none. */
        entry->item = scan->item_count;
}

bool sdphoto_is_skipped(const char *name) {
    return *name == '.' || name[strlen(name) - 1] == '~';
}

/* Handles a name in a folder: queues a folder, visits a file, and ignores all else. */
static void visit_entry(sdphoto_scan *scan, const char *folder, size_t depth, int descriptor, const char *name) {
    struct stat status;
    /* Removed meanwhile, or not accessible. */
    if (fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    /* A link to a file counts as a file. A link to a folder could lead out of the tree, or in circles. */
    if (S_ISLNK(status.st_mode) && (fstatat(descriptor, name, &status, 0) != 0 || !S_ISREG(status.st_mode)))
        return;
    bool is_folder = S_ISDIR(status.st_mode);
    if (!is_folder && !S_ISREG(status.st_mode))
        return;
    if (strlen(folder) + strlen(name) > PATH_LIMIT || (is_folder && (depth >= DEPTH_LIMIT || scan->scope->folders)))
        return;
    char *path = *folder ? sdphoto_join(folder, "/", name) : sdphoto_join(name, NULL, NULL);
    if (!path)
        scan->updates.has_memory = false;
    else if (!is_folder)
        visit_file(scan, path, &status);
    else if (!push(&scan->folders, &scan->folder_count, &scan->folder_capacity, path))
        scan->updates.has_memory = false;
}

/* Returns the number of parts of a path; 0 for the tree's folder. */
static size_t depth_of(const char *path) {
    size_t depth = *path ? 1 : 0;
    for (; *path; path++)
        depth += *path == '/';
    return depth;
}

/* Reads a folder; takes over its name. */
static void read_folder(sdphoto_scan *scan, char *folder) {
    /* Before reading: a file that arrives in between is then reported as an event. */
    sdphoto_watch_folder(scan->tree, folder);
    int descriptor = openat(scan->root, *folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *names = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    int number = errno;
    size_t depth = depth_of(folder);
    if (!names && descriptor >= 0)
        close(descriptor);
    for (struct dirent *one; names && scan->updates.has_memory;) {
        /* readdir returns NULL at the end too: only errno tells a failure. */
        errno = 0;
        one = readdir(names);
        number = errno;
        if (!one)
            break;
        if (!sdphoto_is_skipped(one->d_name))
            visit_entry(scan, folder, depth, dirfd(names), one->d_name);
    }
    bool is_read = names && number == 0;
    if (names)
        closedir(names);
    /* A missing folder counts as read and empty. */
    bool is_known = is_read || number == ENOENT || number == ENOTDIR || number == ELOOP;
    if (!is_known && !*folder)
        scan->root_error = number;
    if (!sdphoto_map_set(is_known ? &scan->scanned : &scan->unread, folder, strlen(folder), folder)) {
        scan->updates.has_memory = false;
        free(folder);
    }
}

void sdphoto_scan_walk(sdphoto_scan *scan) {
    const sdphoto_scope *scope = scan->scope;
    for (size_t i = 0; i < (scope->folders ? scope->folder_count : 1); i++)
        if (!push(&scan->folders, &scan->folder_count, &scan->folder_capacity,
                  sdphoto_join(scope->folders ? scope->folders[i] : "", NULL, NULL)))
            scan->updates.has_memory = false;
    /* Depth first, without recursion. */
    while (scan->folder_count && sdphoto_scan_continues(scan))
        read_folder(scan, scan->folders[--scan->folder_count]);
}
