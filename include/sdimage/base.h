/* base.h: what every other header needs: export and enum macros, version, object types, small values.
 *
 * Conventions of the whole API:
 *
 *   Objects are opaque and reference counted: `_new` gives one reference, `_ref` one more, `_unref` takes one back and
 *   accepts NULL. A pointer returned by `_new`, or through a pointer-to-pointer, is the caller's to unref. Any other
 *   returned pointer is borrowed from an immutable object and lives as long as that object.
 *
 *   Arguments are borrowed for the call; what the library keeps it refs or copies.
 *
 *   Fallible functions return `sdimage_status`: 0 fine, > 0 a note, < 0 an error. Outputs are written only when the
 *   status is not negative. `sdimage_error **error` may be NULL; when it is not, a failing call stores an error there.
 *
 *   Text is UTF-8. URLs and keys are bytes with a length; SDIMAGE_NUL_TERMINATED as length means "up to the NUL".
 *
 *   NULL where an object is required gives SDIMAGE_STATUS_INVALID_ARGUMENT, an object of another kind
 *   SDIMAGE_STATUS_BAD_HANDLE; getters answer with the neutral value (0, false, NULL, "").
 *
 *   Loading the library starts no thread and opens no file; the first manager or cache does. */
#ifndef SDIMAGE_BASE_H
#define SDIMAGE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#define SDIMAGE_VERSION_MAJOR 0
#define SDIMAGE_VERSION_MINOR 1
#define SDIMAGE_VERSION_PATCH 0

/* As a length: "the text ends at its NUL". */
#define SDIMAGE_NUL_TERMINATED ((size_t)-1)

/* Immutable: share freely between threads. */
typedef struct sdimage_cache_entry sdimage_cache_entry;
typedef struct sdimage_cache_page sdimage_cache_page;
typedef struct sdimage_coder sdimage_coder;
typedef struct sdimage_data sdimage_data;
typedef struct sdimage_download_event sdimage_download_event;
typedef struct sdimage_download_hooks sdimage_download_hooks;
typedef struct sdimage_error sdimage_error;
typedef struct sdimage_event sdimage_event;
typedef struct sdimage_image sdimage_image;
typedef struct sdimage_load_hooks sdimage_load_hooks;
typedef struct sdimage_plugin_list sdimage_plugin_list;
typedef struct sdimage_result sdimage_result;
typedef struct sdimage_transformer sdimage_transformer;
typedef struct sdimage_transport sdimage_transport;

/* Synchronised: call from any thread. */
typedef struct sdimage_animated_view sdimage_animated_view;
typedef struct sdimage_cache sdimage_cache;
typedef struct sdimage_dispatcher sdimage_dispatcher;
typedef struct sdimage_exchange sdimage_exchange;
typedef struct sdimage_frame_provider sdimage_frame_provider;
typedef struct sdimage_load_sink sdimage_load_sink;
typedef struct sdimage_loader sdimage_loader;
typedef struct sdimage_manager sdimage_manager;
typedef struct sdimage_prefetch_group sdimage_prefetch_group;
typedef struct sdimage_prefetcher sdimage_prefetcher;
typedef struct sdimage_progress sdimage_progress;
typedef struct sdimage_player sdimage_player;
typedef struct sdimage_reply sdimage_reply;
typedef struct sdimage_target sdimage_target;
typedef struct sdimage_task sdimage_task;

/* Single-owner: one thread at a time; copied when submitted. */
typedef struct sdimage_batch_options sdimage_batch_options;
typedef struct sdimage_cache_config sdimage_cache_config;
typedef struct sdimage_cache_query sdimage_cache_query;
typedef struct sdimage_decode_options sdimage_decode_options;
typedef struct sdimage_downloader_config sdimage_downloader_config;
typedef struct sdimage_encode_options sdimage_encode_options;
typedef struct sdimage_manager_config sdimage_manager_config;
typedef struct sdimage_metadata sdimage_metadata;
typedef struct sdimage_options sdimage_options;
typedef struct sdimage_request sdimage_request;
typedef struct sdimage_response sdimage_response;
typedef struct sdimage_target_options sdimage_target_options;

/* Width and height in pixels. Frozen: never grows. */
typedef struct sdimage_size {
    uint32_t width;
    uint32_t height;
} sdimage_size;

/* A rectangle in points, from the top left corner of the displayed picture. Frozen: never grows. */
typedef struct sdimage_rect {
    double x;
    double y;
    double width;
    double height;
} sdimage_rect;

/* A colour of sRGB with straight alpha; 0 to 1 each. Frozen: never grows. */
typedef struct sdimage_color {
    double red;
    double green;
    double blue;
    double alpha;
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
