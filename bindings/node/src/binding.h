/* binding.h: the shared declarations of the addon's parts.
 *
 * Every environment (the main thread, each worker) has a `binding` of its own: a pollable dispatcher and an inbox,
 * both watched by that environment's loop. No thread of the library ever enters JavaScript. */
#ifndef SDIMAGE_NODE_BINDING_H
#define SDIMAGE_NODE_BINDING_H

#define NAPI_VERSION 8
#include <node_api.h>
#include <sdimage.h>
#include <sdimage/sys.h>
#include <uv.h>

/* A descriptor that the loop watches. Allocated separately: it outlives the environment until libuv has closed it. */
typedef struct watch {
    uv_poll_t poll;
    napi_env env;
    napi_async_context context;
    void (*readable)(napi_env env, struct watch *watch); /* called when the descriptor is readable */
} watch;

/* Requests of custom loaders in transit from threads of the library to the loop. */
typedef struct inbox inbox;

/* The state of one environment; used on its thread only. */
typedef struct binding {
    sdimage_dispatcher *dispatcher; /* delivers the events of all loads of the environment */
    inbox *inbox;                   /* receives requests of its custom loaders */
    watch *events;                  /* watches the dispatcher */
    watch *requests;                /* watches the inbox */
    uint32_t pending;               /* loads without their FINAL; any such load keeps the process alive */
    int64_t handles;                /* boxes that hold an object */
    double max_bytes;               /* maximum size of a Buffer */
    napi_ref deliver;               /* deliver(token, isResult, received, expected, result) */
    napi_ref asked;                 /* asked(loader, url, sink): a custom loader must load */
    napi_ref dropped;               /* dropped(sink id): no caller is waiting any longer */
    napi_ref error;                 /* (code, message, httpStatus, url, isTransient) => SdimageError */
} binding;

static inline binding *binding_of(napi_env env) {
    void *data = NULL;
    napi_get_instance_data(env, &data);
    return data;
}

/* --- handle.c: objects of the library as JavaScript values. */

/* Kinds of objects that a value can hold. */
typedef enum kind { IMAGE = 1, RESULT, TASK, MANAGER, CACHE, LOADER, SINK } kind;

/* Takes over the reference. NULL returns null. */
napi_value handle_wrap(napi_env env, kind kind, void *object);
/* The object of a value. NULL, with a TypeError thrown, for any other value and for a released object. */
void *handle_get(napi_env env, napi_value value, kind kind);
/* The same for the first argument of a function. */
void *first_argument(napi_env env, napi_callback_info info, kind kind);
/* release(value): releases the object at once, before the value is collected. No effect if it was released. */
napi_value handle_release(napi_env env, napi_callback_info info);
/* Pixels without a copy: the value holds a reference to the image until it is collected. */
napi_value pixels_of(napi_env env, sdimage_image *image);
/* A copy of the bytes, because a Buffer is writable and caches, loads and animations share the data. Takes over the
 * reference; NULL returns null. */
napi_value buffer_of(napi_env env, sdimage_data *data);

/* --- value.c: conversion of values from and to JavaScript. */

enum { MAX_ARGUMENTS = 6 };
/* The arguments; missing ones are undefined. */
void arguments(napi_env env, napi_callback_info info, napi_value values[MAX_ARGUMENTS]);
/* Reads a property; true if it is neither undefined nor null. */
bool property(napi_env env, napi_value object, const char *name, napi_value *value);
/* Read a property of a type; false, without an exception, if it is missing or of another type. */
bool has_number(napi_env env, napi_value object, const char *name, double *number);
bool has_bool(napi_env env, napi_value object, const char *name, bool *flag);
bool is_true(napi_env env, napi_value object, const char *name);
/* A NUL-terminated copy, which the caller frees; NULL for a value that is not text. `length` may be NULL. */
char *text_of(napi_env env, napi_value value, size_t *length);
/* The same for a property; NULL if it is missing. */
char *text_property(napi_env env, napi_value object, const char *name);
/* The bytes of an ArrayBuffer, a view or a Buffer; false, with a TypeError thrown, for anything else. */
bool bytes_of(napi_env env, napi_value value, const void **bytes, size_t *length);
/* The value of a number; 0 for any other value. */
double number_of(napi_env env, napi_value value);
napi_value number(napi_env env, double value);
napi_value boolean(napi_env env, bool value);
napi_value text(napi_env env, const char *value);
/* Makes a text of UTF-8 bytes. Releases `data`. */
napi_value text_of_data(napi_env env, sdimage_data *data);
void set(napi_env env, napi_value object, const char *name, napi_value value);
napi_value undefined(napi_env env);

/* Creates an SdimageError. */
napi_value error_value(napi_env env, sdimage_status status, const sdimage_error *error);
/* Throws an SdimageError, releases `error`, and returns NULL. */
napi_value throw_error(napi_env env, sdimage_status status, sdimage_error *error);

/* --- options.c: plain objects, checked by index.js, as options of the library. The caller releases them. */

sdimage_decode_options *decode_options_of(napi_env env, napi_value object);
sdimage_encode_options *encode_options_of(napi_env env, napi_value object);
/* NULL if the URL is not text, or memory is exhausted. */
sdimage_request *request_of(napi_env env, napi_value url, napi_value object);

/* --- Functions that index.js calls. */

napi_value manager_new(napi_env env, napi_callback_info info);
napi_value manager_start(napi_env env, napi_callback_info info);
napi_value manager_cancel_all(napi_env env, napi_callback_info info);
napi_value manager_running_count(napi_env env, napi_callback_info info);
napi_value manager_is_offline(napi_env env, napi_callback_info info);
napi_value manager_set_offline(napi_env env, napi_callback_info info);
napi_value manager_forget_failed(napi_env env, napi_callback_info info);
napi_value task_cancel(napi_env env, napi_callback_info info);
napi_value task_priority(napi_env env, napi_callback_info info);
napi_value task_set_priority(napi_env env, napi_callback_info info);
napi_value task_result(napi_env env, napi_callback_info info);
/* Make plain objects of the properties of a result and of an image. index.js makes instances of its classes of them. */
napi_value result_fields(napi_env env, sdimage_result *result);
napi_value image_fields(napi_env env, sdimage_image *image);
napi_value image_pixels(napi_env env, napi_callback_info info);
napi_value image_new(napi_env env, napi_callback_info info);
napi_value pixel_bytes(napi_env env, napi_callback_info info);
napi_value cache_new(napi_env env, napi_callback_info info);
napi_value cache_memory_image(napi_env env, napi_callback_info info);
napi_value cache_set_memory_image(napi_env env, napi_callback_info info);
napi_value job_start(napi_env env, napi_callback_info info);
napi_value loader_new(napi_env env, napi_callback_info info);
napi_value sink_expect(napi_env env, napi_callback_info info);
napi_value sink_write(napi_env env, napi_callback_info info);
napi_value sink_finish(napi_env env, napi_callback_info info);
napi_value sink_finish_with_image(napi_env env, napi_callback_info info);
napi_value sink_fail(napi_env env, napi_callback_info info);
napi_value version(napi_env env, napi_callback_info info);
napi_value doctor(napi_env env, napi_callback_info info);
napi_value metrics(napi_env env, napi_callback_info info);
napi_value info_of_bytes(napi_env env, napi_callback_info info);
napi_value sniff(napi_env env, napi_callback_info info);

/* --- watch.c and inbox.c. */

/* Watches a descriptor, without keeping the process alive; NULL on failure. `name` names the callbacks for async
 * hooks. */
watch *watch_new(napi_env env, int descriptor, const char *name, void (*readable)(napi_env, watch *));
/* Stops watching; frees the watch when libuv has closed it. */
void watch_close(watch *watch);
/* Calls a function of index.js from the loop and then runs the microtasks. */
void watch_call(napi_env env, watch *watch, napi_ref function, size_t count, const napi_value *values);
/* Delivers the events of the dispatcher: the `readable` function of `events`. */
void take_events(napi_env env, watch *watch);

/* Makes an inbox with one reference; NULL if memory or descriptors are exhausted. */
inbox *inbox_new(void);
/* Returns the descriptor that is readable while requests wait. */
int inbox_descriptor(const inbox *inbox);
/* Refuses queued and later requests, and releases the environment's reference. */
void inbox_close(inbox *inbox);
/* Passes requests to index.js: the `readable` function of `requests`. */
void take_requests(napi_env env, watch *watch);

#endif
