#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scan.h"
#include "thumbnail.h"

sdphoto_observer *sdphoto_observer_of(sdphoto_tree *tree) {
    pthread_mutex_lock(&tree->library.lock);
    sdphoto_observer *observer = tree->observer;
    if (observer)
        atomic_fetch_add(&observer->references, 1);
    pthread_mutex_unlock(&tree->library.lock);
    return observer;
}

void sdphoto_observer_drop(sdphoto_observer *observer) {
    if (!observer || atomic_fetch_sub(&observer->references, 1) != 1)
        return;
    if (observer->destroy)
        observer->destroy(observer->user_data);
    free(observer);
}

static sdimage_status refresh(sdimage_photos_library *library, sdphoto_need need, sdphoto_progress progress,
                              sdimage_error **error) {
    sdphoto_tree *tree = (sdphoto_tree *)library;
    if (tree->process != (int)getpid())
        return sdcs_fail(error, SDIMAGE_STATUS_FORKED, "photos: library was opened before the fork");
    if (need == SDPHOTO_NEED_INDEX && tree->has_thread) {
        pthread_mutex_lock(&library->lock);
        while (!tree->is_first_finished && !sdphoto_tree_is_scanned_here(tree))
            pthread_cond_wait(&tree->first_finished, &library->lock);
        sdimage_status status = tree->first_status;
        bool is_current = library->is_watching && tree->is_first_finished;
        pthread_mutex_unlock(&library->lock);
        if (is_current && status >= 0)
            return status;
    }
    sdphoto_scope scope = {0};
    return sdphoto_tree_scan(tree, &scope, progress, error);
}

static void close_tree(sdimage_photos_library *library) {
    sdphoto_tree *tree = (sdphoto_tree *)library;
    sdphoto_watch_stop(tree);
    sdphoto_observer_drop(tree->observer);
    /* SQLite forbids the use of a connection after a fork. */
    if (tree->process == (int)getpid())
        sdphoto_index_close(&tree->index);
    for (size_t i = 0; i < tree->count; i++)
        sdphoto_entry_free(tree->entries[i]);
    free(tree->entries);
    sdphoto_map_clear(&tree->by_path);
    sdphoto_map_clear(&tree->by_identifier);
    pthread_cond_destroy(&tree->first_finished);
    pthread_mutex_destroy(&tree->scanning);
    free(tree->root);
}

static const sdphoto_library_kind tree_kind = {refresh, close_tree};

bool sdphoto_is_tree(const sdimage_photos_library *library) {
    return library->kind == &tree_kind;
}

sdimage_status sdphoto_tree_set_observer(sdimage_photos_library *library, const sdimage_photos_observer_vtable *vtable,
                                         void *user_data, sdimage_destroy_fn destroy, sdimage_error **error) {
    sdphoto_tree *tree = (sdphoto_tree *)library;
    sdphoto_observer *observer = vtable ? calloc(1, sizeof *observer) : NULL;
    if (!observer && destroy)
        destroy(user_data);
    if (vtable && !observer)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for an observer");
    if (observer) {
        atomic_init(&observer->references, 1);
        sdphoto_copy_table(&observer->table, sizeof observer->table, vtable, vtable->size);
        observer->user_data = user_data;
        observer->destroy = destroy;
    }
    pthread_mutex_lock(&library->lock);
    sdphoto_observer *before = tree->observer;
    tree->observer = observer;
    pthread_mutex_unlock(&library->lock);
    sdphoto_observer_drop(before);
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

/* Parses a line of user-dirs.dirs: XDG_PICTURES_DIR="$HOME/Pictures", absolute or below the home folder. To be
 * freed. */
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

char *sdphoto_xdg_pictures_folder(void) {
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

/* Returns the folder with links resolved; to be freed. */
static sdimage_status resolve(const char *path, char **root, sdimage_error **error) {
    char *wanted = path ? sdphoto_join(path, NULL, NULL) : sdphoto_xdg_pictures_folder();
    struct stat status;
    if (!wanted)
        return sdcs_fail(error, SDIMAGE_STATUS_NOT_FOUND, "photos: location of the picture folder is unknown");
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
        return sdcs_fail(error, SDIMAGE_STATUS_NOT_A_FILE, "photos: library is not a folder");
    if (number == EACCES || number == EPERM)
        return sdcs_fail(error, SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED, "photos: library folder is not readable");
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
    /* Error checking: a scan requested by the progress callback of another scan is refused. */
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&tree->scanning, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_cond_init(&tree->first_finished, NULL);
    return tree;
}

/* Resolves the path of a folder that may not exist yet; to be freed. */
static char *resolved_path(const char *folder) {
    char *start = sdphoto_join(folder, NULL, NULL), *resolved = NULL;
    while (start) {
        char *there = realpath(*start ? start : ".", NULL), *slash = strrchr(start, '/');
        bool is_known = there || errno != ENOENT || !*start;
        if (there)
            resolved = sdphoto_join(there, "/", folder + strlen(start));
        free(there);
        if (is_known)
            break;
        *(slash == start && start[1] ? slash + 1 : slash ? slash : start) = 0;
    }
    free(start);
    return resolved;
}

sdimage_status sdimage_photos_library_open(const char *path, const sdimage_photos_library_config *config,
                                           sdimage_photos_library **library, sdimage_error **error) {
    char *root = NULL;
    if (!library)
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "photos: result pointer is NULL");
    if (config && !sdphoto_is(config, SDPHOTO_LIBRARY_CONFIG))
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_HANDLE, "photos: not a library configuration");
    sdimage_status status = resolve(path, &root, error);
    if (status < 0) {
        free(root);
        return status;
    }
    sdphoto_tree *tree = new_tree(root);
    char *folder = config && config->index_folder ? sdphoto_join(config->index_folder, NULL, NULL)
                                                  : sdphoto_cache_folder("sdimage-photos");
    char *resolved = folder ? resolved_path(folder) : NULL;
    if (!tree || !folder)
        status = sdcs_fail(error, SDIMAGE_STATUS_CACHE_UNUSABLE, "photos: location of the index is unknown");
    else if (resolved && sdphoto_is_below(resolved, tree->root))
        status = sdcs_fail(error, SDIMAGE_STATUS_CACHE_UNUSABLE, "photos: index folder lies inside the library");
    else
        status = sdphoto_index_open(&tree->index, folder, tree->root, error);
    free(folder);
    free(resolved);
    if (status >= 0 && !sdphoto_tree_load(tree, NULL))
        status = sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for the index");
    if (status < 0) {
        sdimage_photos_library_unref(tree ? &tree->library : NULL);
        return status;
    }
    if (!config || !config->is_still)
        sdphoto_watch_start(tree);
    *library = &tree->library;
    return status;
}
