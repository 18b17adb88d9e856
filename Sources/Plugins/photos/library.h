/* library.h: what all kinds of libraries have in common: a table of assets under a lock, and how to bring it up to
 * date. */
#ifndef SDPHOTO_LIBRARY_H
#define SDPHOTO_LIBRARY_H

#include <pthread.h>

#include <sdimage/plugins/photos.h>
#include <sdimage/plugins/photos_source.h>

#include "asset.h"

/* Whom to tell of a scan; `tell` may be NULL. */
typedef struct sdphoto_watcher {
    sdimage_photos_scan_fn tell;
    void *user_data;
} sdphoto_watcher;

/* How far the table must be up to date. */
typedef enum sdphoto_need {
    SDPHOTO_NEED_INDEX, /* as this kind of library does for every fetch */
    SDPHOTO_NEED_NOW    /* looked at since this call began */
} sdphoto_need;

/* What kinds of libraries do each in their way. Without `refresh` it is a host's. */
typedef struct sdphoto_kind_of_library {
    sdimage_status (*refresh)(sdimage_photos_library *library, sdphoto_need need, sdphoto_watcher watcher,
                              sdimage_error **error);
    /* Releases all but what is common; no thread may be left. */
    void (*close)(sdimage_photos_library *library);
} sdphoto_kind_of_library;

struct sdimage_photos_library {
    sdphoto_object object;
    const sdphoto_kind_of_library *of;
    char *name;
    uint64_t number;
    atomic_uint cancellations;
    /* Guards what follows, for short: never held while a disk is read, or anybody called. */
    pthread_mutex_t lock;
    sdphoto_map assets; /* by identifier; each holds a reference */
    bool is_watching;
    const char *note;
};

/* A library of a kind, of `size` bytes with the common part first; NULL when memory is refused. */
void *sdphoto_library_new(const sdphoto_kind_of_library *of, const char *name, size_t size);

/* In the table, under the lock. The asset is referenced; false when memory is refused. */
bool sdphoto_library_set(sdimage_photos_library *library, sdimage_photos_asset *asset);
void sdphoto_library_remove(sdimage_photos_library *library, const char *identifier);

/* The asset as it is in the table, referenced; NULL when there is none. */
sdimage_photos_asset *sdphoto_library_look(sdimage_photos_library *library, const char *identifier);

/* The arguments of a call: an error where the library is none. */
sdimage_status sdphoto_check_library(const sdimage_photos_library *library, sdimage_error **error);

/* --- Trees. */

/* Takes over an observer that the tree tells. */
sdimage_status sdphoto_tree_set_observer(sdimage_photos_library *library, const sdimage_photos_observer_vtable *vtable,
                                         void *user_data, sdimage_destroy_fn destroy, sdimage_error **error);
/* The XDG Pictures folder (xdg-user-dirs), to be freed; NULL without a home. */
char *sdphoto_pictures_folder(void);
bool sdphoto_is_tree(const sdimage_photos_library *library);

/* --- Hosts. */

bool sdphoto_is_host(const sdimage_photos_library *library);

/* What becomes of a fetch, called once on the library's thread: an asset, referenced, or a status and an error that is
 * NULL or the caller's. */
typedef void (*sdphoto_fetched_fn)(void *user_data, sdimage_photos_asset *asset, sdimage_status status,
                                   sdimage_error *error);

/* Puts a question into the queue of a host's library, and `fetched` on its thread. `owner` tells it apart for
 * sdphoto_host_cancel. */
sdimage_status sdphoto_host_fetch(sdimage_photos_library *library, const char *identifier,
                                  sdimage_photos_fetch_options *options, const void *owner, sdphoto_fetched_fn fetched,
                                  void *user_data);
/* The same for an asset that is known, which is referenced. */
sdimage_status sdphoto_host_take(sdimage_photos_library *library, sdimage_photos_asset *asset, const void *owner,
                                 sdphoto_fetched_fn fetched, void *user_data);
/* Nobody waits for what `owner` asked; NULL: for anything. */
void sdphoto_host_cancel(sdimage_photos_library *library, const void *owner);

/* The host's functions. */
const sdimage_photos_library_vtable *sdphoto_host_table(const sdimage_photos_library *library, void **user_data);

#endif
