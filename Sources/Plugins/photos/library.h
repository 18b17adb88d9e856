/* library.h: the common part of all kinds of libraries: a table of assets under a lock, and its refresh. */
#ifndef SDPHOTO_LIBRARY_H
#define SDPHOTO_LIBRARY_H

#include <pthread.h>

#include <sdimage/plugins/photos.h>
#include <sdimage/plugins/sys/photos_source.h>

#include "asset.h"
#include "map.h"

/* The progress callback of a scan; `report` may be NULL. */
typedef struct sdphoto_progress {
    bool (*report)(void *user_data, uint64_t found, uint64_t read);
    void *user_data;
} sdphoto_progress;

typedef struct sdphoto_load sdphoto_load; /* load.h */

/* How current the table must be. */
typedef enum sdphoto_need {
    SDPHOTO_NEED_INDEX, /* as this kind of library requires for every fetch */
    SDPHOTO_NEED_NOW    /* refreshed since this call began */
} sdphoto_need;

/* The functions of a kind of library. */
typedef struct sdphoto_library_kind {
    /* Brings the table up to date. NULL for the library of a host, which cannot list its assets. */
    sdimage_status (*refresh)(sdimage_photos_library *library, sdphoto_need need, sdphoto_progress progress,
                              sdimage_error **error);
    /* Releases everything but the common part; no thread may remain. False on the library's own thread, which frees the
     * library when it ends. */
    bool (*close)(sdimage_photos_library *library);
    /* Sets the observer, which it takes over; NULL for a library that cannot be observed. */
    sdimage_status (*set_observer)(sdimage_photos_library *library, const sdimage_photos_library_handler *vtable,
                                   void *user_data, sdimage_destroy_fn destroy, sdimage_error **error);
    /* Takes over a load of a photo that the library cannot look up yet, and resumes it later; false if it can. NULL for
     * a library that always can. */
    bool (*defer)(sdimage_photos_library *library, sdphoto_load *load);
    /* Cancels the waiting requests of `owner`, the sink of a load, or all if it is NULL. NULL for a library in which
     * none wait. */
    void (*cancel_loads)(sdimage_photos_library *library, const void *owner);
} sdphoto_library_kind;

struct sdimage_photos_library {
    sdphoto_object object;
    const sdphoto_library_kind *kind; /* tree, database or host */
    char *name;
    int process;               /* the process that opened it: a forked one must not use it */
    uint64_t number;           /* unique in the process; assets of hosts have it */
    atomic_uint cancellations; /* calls of sdimage_photos_library_cancel_loads */
    /* Guards the following members; held briefly, never during disk reads or callbacks. */
    pthread_mutex_t lock;
    sdphoto_map assets; /* by identifier; each value holds a reference */
    bool is_watching;
    const char *note; /* static text: the reason for not watching */
};

/* Makes a library of `size` bytes that begins with the common part; NULL if memory is exhausted. */
void *sdphoto_library_new(const sdphoto_library_kind *kind, const char *name, size_t size);

/* Frees a library without references. */
void sdphoto_library_free(sdimage_photos_library *library);

/* Set and remove an asset of the table; require the lock. Set references the asset and returns false if memory is
 * exhausted. */
bool sdphoto_library_set(sdimage_photos_library *library, sdimage_photos_asset *asset);
void sdphoto_library_remove(sdimage_photos_library *library, const char *identifier);

/* Returns the asset in the table, referenced; NULL for none. */
sdimage_photos_asset *sdphoto_library_lookup(sdimage_photos_library *library, const char *identifier);

/* Reports that this is a forked process: the locks are in their state at the time of the fork, and it has no thread. */
bool sdphoto_library_is_forked(const sdimage_photos_library *library);

/* Checks the argument of a call: an error if it is not a library, or was opened before a fork. */
sdimage_status sdphoto_check_library(const sdimage_photos_library *library, sdimage_error **error);

#endif
