/* base.h: what every other header needs: export and enum macros, version, object types, small values.
 *
 * Conventions of the whole API:
 *
 * Objects are opaque and reference counted: `_new` gives one reference, `_ref` one more, `_unref` takes one back and
 * accepts NULL. A pointer returned by `_new`, or through a pointer-to-pointer, is the caller's to unref. Any other
 * returned pointer is borrowed from an immutable object and lives as long as that object.
 *
 * Arguments are borrowed for the call; what the library keeps it refs or copies.
 *
 * Fallible functions return `sdimage_status`: 0 fine, > 0 a note, < 0 an error. Outputs are written only when the
 * status is not negative. `sdimage_error **error` may be NULL; when it is not, a failing call stores an error there.
 *
 * Tables of functions begin with `size`, which the caller sets to sizeof its table. The library reads no further, so
 * that tables may grow at their end; what a shorter table lacks counts as NULL.
 *
 * Text is UTF-8. URLs and keys are bytes with a length; SDIMAGE_NUL_TERMINATED as length means "up to the NUL".
 *
 * NULL where an object is required gives SDIMAGE_STATUS_INVALID_ARGUMENT, an object of another kind
 * SDIMAGE_STATUS_BAD_HANDLE; getters answer with the neutral value (0, false, NULL, "").
 *
 * Loading the library starts no thread and opens no file; the first manager or cache does. */
#ifndef SDIMAGE_BASE_H
#define SDIMAGE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks what the library exports. */
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

/* The version of these headers; sdimage_version tells that of the library in use. */
#define SDIMAGE_VERSION_MAJOR 0
#define SDIMAGE_VERSION_MINOR 1
#define SDIMAGE_VERSION_PATCH 0

/* As a length: "the text ends at its NUL". */
#define SDIMAGE_NUL_TERMINATED ((size_t)-1)

/* Immutable: share freely between threads. */
typedef struct sdimage_cache_entry sdimage_cache_entry;       /* bytes of a cached picture, and more: cache_entry.h */
typedef struct sdimage_cache_page sdimage_cache_page;         /* a part of the list of a disk cache: disk.h */
typedef struct sdimage_coder sdimage_coder;                   /* decodes and encodes one or more formats: coder.h */
typedef struct sdimage_data sdimage_data;                     /* bytes by reference: data.h */
typedef struct sdimage_download_event sdimage_download_event; /* something that happened to a transfer: hooks.h */
typedef struct sdimage_download_hooks sdimage_download_hooks; /* a host's say in downloads: hooks.h */
typedef struct sdimage_error sdimage_error;                   /* what went wrong: error.h */
typedef struct sdimage_event sdimage_event;                   /* a delivery as an object: dispatcher.h */
typedef struct sdimage_image sdimage_image;                   /* pixels and metadata: image.h */
typedef struct sdimage_load_hooks sdimage_load_hooks;         /* a host's say in loads: load_hooks.h */
typedef struct sdimage_plugin_list sdimage_plugin_list;       /* the plug-ins that were found: plugins.h */
typedef struct sdimage_result sdimage_result;                 /* what one delivery carries: result.h */
typedef struct sdimage_transformer sdimage_transformer;       /* changes pictures: transformer.h */
typedef struct sdimage_transport sdimage_transport;           /* another way to speak HTTP: transport.h */

/* Synchronised: call from any thread. */
typedef struct sdimage_animated_view sdimage_animated_view;   /* a picture in a widget: animated_view.h */
typedef struct sdimage_cache sdimage_cache;                   /* memory over disk, or what stands for it: cache.h */
typedef struct sdimage_dispatcher sdimage_dispatcher;         /* where callbacks run: dispatcher.h */
typedef struct sdimage_exchange sdimage_exchange;             /* a request and its answer: transport.h */
typedef struct sdimage_frame_provider sdimage_frame_provider; /* frames for players: animation.h */
typedef struct sdimage_load_sink sdimage_load_sink;           /* what a loader writes into: loader.h */
typedef struct sdimage_loader sdimage_loader;                 /* where bytes come from: loader.h */
typedef struct sdimage_manager sdimage_manager;               /* loads pictures: manager.h */
typedef struct sdimage_prefetch_group sdimage_prefetch_group; /* a list that is loaded ahead: prefetcher.h */
typedef struct sdimage_prefetcher sdimage_prefetcher;         /* loads ahead: prefetcher.h */
typedef struct sdimage_progress sdimage_progress;             /* how far a target's load is: progress.h */
typedef struct sdimage_player sdimage_player;                 /* an animation in time: player.h */
typedef struct sdimage_reply sdimage_reply;                   /* what a hook that may wait answers with: task.h */
typedef struct sdimage_resources sdimage_resources;           /* a program's own pictures: resources.h */
typedef struct sdimage_target sdimage_target;                 /* a widget's picture: target.h */
typedef struct sdimage_task sdimage_task;                     /* a load under way: task.h */

/* Single-owner: one thread at a time; copied when submitted. */
typedef struct sdimage_batch_options sdimage_batch_options;         /* pictures of one size in one array: batch.h */
typedef struct sdimage_cache_config sdimage_cache_config;           /* how a cache is opened: cache.h */
typedef struct sdimage_cache_query sdimage_cache_query;             /* which entries to list: disk.h */
typedef struct sdimage_decode_options sdimage_decode_options;       /* how to decode: coder.h */
typedef struct sdimage_downloader_config sdimage_downloader_config; /* how to download: downloader.h */
typedef struct sdimage_encode_options sdimage_encode_options;       /* how to encode: encoder.h */
typedef struct sdimage_work_budget sdimage_work_budget;             /* limits of one operation, for coders: coder.h */
typedef struct sdimage_manager_config sdimage_manager_config;       /* how a manager is made: manager.h */
typedef struct sdimage_metadata sdimage_metadata;                   /* what is known of a picture: image.h */
typedef struct sdimage_options sdimage_options;                     /* named values for hooks and plug-ins: options.h */
typedef struct sdimage_request sdimage_request;                     /* one wish for a picture: request.h */
typedef struct sdimage_response sdimage_response;                   /* the answer of a server: hooks.h */
typedef struct sdimage_target_options sdimage_target_options;       /* how a target loads: target.h */

/* Width and height in pixels. Frozen: never grows. */
typedef struct sdimage_size {
    uint32_t width;  /* columns */
    uint32_t height; /* rows */
} sdimage_size;

/* A rectangle in points, from the top left corner of the displayed picture. Frozen: never grows. */
typedef struct sdimage_rect {
    double x;      /* from the left */
    double y;      /* from the top */
    double width;  /* 0 or more */
    double height; /* 0 or more */
} sdimage_rect;

/* A colour of sRGB with straight alpha; 0 to 1 each. Frozen: never grows. */
typedef struct sdimage_color {
    double red;   /* 0 to 1, as sRGB encodes it */
    double green; /* the same */
    double blue;  /* the same */
    double alpha; /* 0 clear, 1 opaque */
} sdimage_color;

/* Releases a `user_data`. Called exactly once, after the last use, on the library's callback thread (or on the thread
 * that drops the last reference when the library runs no thread); also when the function that took it fails. */
typedef void (*sdimage_destroy_fn)(void *user_data);

/* The version of the library in use as text, "1.2.3". Static: never freed. */
SDIMAGE_API const char *sdimage_version(void);

/* The version of the library in use as one number: major * 1000000 + minor * 1000 + patch. Compare with the
 * SDIMAGE_VERSION_ macros, which tell the version of the headers. */
SDIMAGE_API uint32_t sdimage_version_number(void);

#ifdef __cplusplus
}
#endif

#endif
