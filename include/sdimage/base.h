/* base.h: definitions for all other headers: export and enum macros, version, object types, small values.
 *
 * Conventions of the whole API:
 *
 * Names begin with the class of the object listed below; functions of the whole process have no object.
 *
 * Objects are opaque and reference counted. `_new` and `_copy` make an object, `_ref` adds a reference, `_unref`
 * releases one and accepts NULL. An object made by a function, or stored through a pointer-to-pointer, is the caller's
 * to unref. Any other returned object is borrowed from an immutable or single-owner object: it lives as long as that
 * object, and that of a property until the property changes. The same applies to texts and bytes. Synchronized objects
 * lend nothing but names that never change; `_get_` stores references and values through its parameters.
 *
 * Arguments are borrowed for the call; the library references or copies those that it holds longer.
 *
 * Every property that has a setter has a getter of the same name and type: `_set_scale` and `_scale`; for an object
 * `_get_cache`, or `_copy_request` if it is a copy; for several values one `_get_` with a parameter for each, or a
 * getter for each. Functions of the host have none. What `_add_` adds is read by index. Functions that return bool
 * about an object are called `_is_`, `_has_`, `_can_` or `_should_`: `_set_progressive` and `_is_progressive`.
 * `_reset_` leaves a property to another object; `_has_` or the result of `_get_` tells if it is set. Where 0 restores
 * the default, the getter returns the value in force. Passwords and tokens cannot be read; `_has_` tells if they are
 * set.
 *
 * 0 is the neutral value of every enum or its default; of an enum of measures, such as the stages of a load, it is the
 * first.
 *
 * Fallible functions return `sdimage_status`: 0 success, > 0 a note, < 0 an error. Outputs are written only when the
 * status is not negative, except the result of the `_load_sync` functions: a failed load has one, too, for the caller
 * to unref. `sdimage_error **error`, their last parameter, may be NULL; when it is not, a failing call stores an error
 * there.
 *
 * Functions of the host are passed as a table, a `user_data` for its functions, and a `destroy` for the user_data.
 * Tables begin with `size_t size`, which the caller sets to the sizeof of its table. The library reads no further, so
 * tables may grow at their end; functions missing in a shorter table count as NULL.
 *
 * Headers in sdimage/ are for users of the library; those in sdimage/sys/ are for programs that implement parts of it.
 *
 * Text is UTF-8. URLs and keys are bytes with a length; SDIMAGE_NUL_TERMINATED as length means "up to the NUL". Both
 * have at most 64 MiB, also a data: URL: longer ones are INVALID_ARGUMENT, or empty where a function cannot fail.
 *
 * For NULL in place of a required object, functions return SDIMAGE_STATUS_INVALID_ARGUMENT; for an object of another
 * type, SDIMAGE_STATUS_BAD_HANDLE. Getters return a neutral value instead: false, NULL, "", -1 for a
 * descriptor, and 0 or the default for numbers.
 *
 * Loading the library starts no thread and opens no file; creating the first manager or cache does.
 *
 * exit(3) stops all HTTP transfers except those over a transport of the host, and may wait a second for it. Their loads
 * end with SDIMAGE_STATUS_SHUTDOWN five seconds later if the process still runs, and new ones at once. It also waits
 * up to a second each for images that poppler (PDF) and libheif (derived HEIC, and encoding) work on; later ones end
 * with SDIMAGE_STATUS_SHUTDOWN. A program that wants all results closes its managers before (sdimage_manager_close). */
#ifndef SDIMAGE_BASE_H
#define SDIMAGE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks exported functions. */
#if defined(__GNUC__)
#define SDIMAGE_API __attribute__((visibility("default")))
#else
#define SDIMAGE_API
#endif

/* Enums may gain values: every `switch` over one needs a default. */
#if defined(__clang__)
#define SDIMAGE_ENUM __attribute__((enum_extensibility(open)))
#else
#define SDIMAGE_ENUM
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of these headers; sdimage_version returns that of the library in use. Changes with incompatible
 * versions. */
#define SDIMAGE_VERSION_MAJOR 0
/* Changes with new functions. */
#define SDIMAGE_VERSION_MINOR 2
/* Changes with corrections. */
#define SDIMAGE_VERSION_PATCH 0

/* A length that means "up to the NUL". */
#define SDIMAGE_NUL_TERMINATED ((size_t)-1)

/* Immutable: may be shared between threads. */
typedef struct sdimage_cache_entry sdimage_cache_entry; /* bytes and metadata of a cached image: sys/cache.h */
typedef struct sdimage_cache_page sdimage_cache_page;   /* a page of the list of a disk cache: disk_cache.h */
typedef struct sdimage_cache_verification sdimage_cache_verification; /* the outcome of a verification: disk_cache.h */
typedef struct sdimage_coder sdimage_coder;                   /* decodes and encodes one or more formats: coder.h */
typedef struct sdimage_data sdimage_data;                     /* bytes by reference: data.h */
typedef struct sdimage_diagnosis sdimage_diagnosis;           /* versions, formats and limits: diagnostics.h */
typedef struct sdimage_download_event sdimage_download_event; /* an event of a transfer: hooks.h */
typedef struct sdimage_download_hooks sdimage_download_hooks; /* functions of the host for downloads: hooks.h */
typedef struct sdimage_error sdimage_error;                   /* a status with its details: error.h */
typedef struct sdimage_event sdimage_event;                   /* a delivery as an object: dispatcher.h */
typedef struct sdimage_gain_map sdimage_gain_map;             /* the ratio of two renditions: gain_map.h */
typedef struct sdimage_image sdimage_image;                   /* pixels and metadata: image.h */
typedef struct sdimage_info sdimage_info;                     /* header information of an image: metadata.h */
typedef struct sdimage_load_hooks sdimage_load_hooks;         /* functions of the host for loads: hooks.h */
typedef struct sdimage_plugin_list sdimage_plugin_list;       /* the installed plug-ins: coder.h */
typedef struct sdimage_result sdimage_result;                 /* the content of one delivery: task.h */
typedef struct sdimage_transformer sdimage_transformer;       /* changes images: transform.h */
typedef struct sdimage_transport sdimage_transport;           /* an HTTP client of the host: sys/transport.h */

/* Synchronized: may be called from any thread. */
typedef struct sdimage_animated_view sdimage_animated_view;   /* an image in a widget: animated_view.h */
typedef struct sdimage_cache sdimage_cache;                   /* memory over disk, or a substitute: cache.h */
typedef struct sdimage_decoder sdimage_decoder;               /* decodes bytes as they arrive: decode.h */
typedef struct sdimage_dispatcher sdimage_dispatcher;         /* runs callbacks: dispatcher.h */
typedef struct sdimage_exchange sdimage_exchange;             /* a request and its response: sys/transport.h */
typedef struct sdimage_frame_provider sdimage_frame_provider; /* frames for players: player.h */
typedef struct sdimage_load_sink sdimage_load_sink;           /* receives the output of a loader: sys/loader.h */
typedef struct sdimage_loader sdimage_loader;                 /* fetches bytes: loader.h */
typedef struct sdimage_manager sdimage_manager;               /* loads images: manager.h */
typedef struct sdimage_player sdimage_player;                 /* plays an animation: player.h */
typedef struct sdimage_prefetch_group sdimage_prefetch_group; /* a list of prefetched URLs: prefetcher.h */
typedef struct sdimage_prefetcher sdimage_prefetcher;         /* loads images in advance: prefetcher.h */
typedef struct sdimage_reply sdimage_reply;                   /* completes a hook that may wait: task.h */
typedef struct sdimage_resources sdimage_resources;           /* the images of a program: resources.h */
typedef struct sdimage_source sdimage_source;                 /* random access to encoded bytes: decode.h */
typedef struct sdimage_target sdimage_target;                 /* the image of a widget: target.h */
typedef struct sdimage_task sdimage_task;                     /* a load in progress: task.h */
typedef struct sdimage_work_budget sdimage_work_budget;       /* limits of one operation, for coders: sys/coder.h */

/* Single-owner: used by one thread at a time; copied when submitted. */
typedef struct sdimage_batch_options sdimage_batch_options;         /* images of one size in one array: prefetcher.h */
typedef struct sdimage_cache_config sdimage_cache_config;           /* options of a cache: cache.h */
typedef struct sdimage_cache_query sdimage_cache_query;             /* selects entries to list: disk_cache.h */
typedef struct sdimage_decode_options sdimage_decode_options;       /* options of decoding: decode.h */
typedef struct sdimage_downloader_config sdimage_downloader_config; /* options of a downloader: downloader.h */
typedef struct sdimage_encode_options sdimage_encode_options;       /* options of encoding: encode.h */
typedef struct sdimage_manager_config sdimage_manager_config;       /* options of a manager: manager.h */
typedef struct sdimage_metadata sdimage_metadata;                   /* properties of an image: metadata.h */
typedef struct sdimage_options sdimage_options;                     /* named values for hooks and plug-ins: options.h */
typedef struct sdimage_request sdimage_request;                     /* a request for an image: request.h */
typedef struct sdimage_response sdimage_response;                   /* the response of a server: task.h */
typedef struct sdimage_target_options sdimage_target_options;       /* options of a target: target.h */

/* Width and height in pixels. Frozen: never grows. */
typedef struct sdimage_size {
    uint32_t width;  /* columns */
    uint32_t height; /* rows */
} sdimage_size;

/* A rectangle in points, from the top left corner of the displayed image. Frozen: never grows. */
typedef struct sdimage_rect {
    double x;      /* distance from the left */
    double y;      /* distance from the top */
    double width;  /* 0 or more */
    double height; /* 0 or more */
} sdimage_rect;

/* A color in sRGB with straight alpha; 0 to 1 each. Frozen: never grows. */
typedef struct sdimage_color {
    double red;   /* 0 to 1, sRGB-encoded */
    double green; /* the same */
    double blue;  /* the same */
    double alpha; /* 0 clear, 1 opaque */
} sdimage_color;

/* Releases a `user_data`. Called exactly once, after the last use, on the library's callback thread; if the library
 * runs no thread, on the thread that releases the last reference. Also called when the function that received it
 * fails. */
typedef void (*sdimage_destroy_fn)(void *user_data);

/* Returns the version of the library in use as text, "1.2.3". Static: never freed. */
SDIMAGE_API const char *sdimage_version(void);

/* Returns the version of the library in use as one number: major * 1000000 + minor * 1000 + patch. Compare it with the
 * SDIMAGE_VERSION_ macros, the version of the headers. */
SDIMAGE_API uint32_t sdimage_version_number(void);

#ifdef __cplusplus
}
#endif

#endif
