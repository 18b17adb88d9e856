/* job.c: calls that block or compute: on a thread of libuv's pool, as promises; or synchronously, for the functions
 * named …Sync.
 *
 * 1. job_start reads the inputs into a job, on the thread of the environment.
 * 2. on_pool runs the operation on a thread of the pool, without access to JavaScript values.
 * 3. on_loop makes a value of the result and settles the promise.
 *
 * Without a promise, run_now does the last two steps at once. */
#include <stdlib.h>
#include <string.h>

#include "binding.h"

typedef struct job job;

/* The work of a job, and the conversion of its result to a value. */
typedef struct operation {
    const char *name;
    sdimage_status (*run)(job *job);              /* on any thread */
    napi_value (*finish)(napi_env env, job *job); /* NULL with an exception pending */
} operation;

/* The inputs and outputs of a job. It owns all references. */
struct job {
    const operation *operation;
    napi_async_work work;
    napi_deferred deferred;
    /* Inputs; those that the operation does not need are NULL. */
    sdimage_cache *cache;
    sdimage_manager *manager;
    char *key;
    size_t key_length;
    sdimage_image *image;
    sdimage_data *data;
    double number; /* format, pixel format, layers, index, stops or milliseconds, depending on the operation */
    sdimage_decode_options *decode;
    sdimage_encode_options *encode;
    /* Outputs. */
    sdimage_image *made_image;
    sdimage_data *made_data;
    uint64_t first, second;
    sdimage_status status;
    sdimage_error *error;
};

/* --- Operations. They must not call Node-API functions. */
static sdimage_status run_decode(job *job) {
    return sdimage_decode(sdimage_data_bytes(job->data), sdimage_data_length(job->data), job->decode, &job->made_image,
                          &job->error);
}

static sdimage_status run_encode(job *job) {
    return sdimage_encode(job->image, (sdimage_format)job->number, job->encode, &job->made_data, &job->error);
}

static sdimage_status run_convert(job *job) {
    return sdimage_image_convert(job->image, (sdimage_pixel_format)job->number, &job->made_image, &job->error);
}

static sdimage_status run_apply_gain_map(job *job) {
    return sdimage_image_apply_gain_map(job->image, job->number, &job->made_image, &job->error);
}

static sdimage_status run_frame(job *job) {
    return sdimage_image_get_frame(job->image, (uint32_t)job->number, &job->made_image, &job->error);
}

static sdimage_status run_cache_image(job *job) {
    return sdimage_cache_get_image(job->cache, job->key, job->key_length, job->decode, &job->made_image, &job->error);
}

static sdimage_status run_cache_data(job *job) {
    return sdimage_cache_get_data(job->cache, job->key, job->key_length, &job->made_data, &job->error);
}

static sdimage_status run_cache_store(job *job) {
    return sdimage_cache_store(job->cache, job->key, job->key_length, job->image, job->data,
                               (sdimage_cache_layers)job->number, job->encode, &job->error);
}

/* Stores the bits of the layers that have the key. A missing entry is 0, not an error. */
static sdimage_status run_cache_contains(job *job) {
    job->first = (uint64_t)sdimage_cache_contains(job->cache, job->key, job->key_length);
    return SDIMAGE_STATUS_OK;
}

static sdimage_status run_cache_remove(job *job) {
    return sdimage_cache_remove(job->cache, job->key, job->key_length, (sdimage_cache_layers)job->number, &job->error);
}

static sdimage_status run_cache_clear(job *job) {
    return sdimage_cache_clear(job->cache, (sdimage_cache_layers)job->number, &job->error);
}

static sdimage_status run_cache_flush(job *job) {
    return sdimage_cache_flush(job->cache, &job->error);
}

static sdimage_status run_cache_close(job *job) {
    return sdimage_cache_close(job->cache, &job->error);
}

static sdimage_status run_cache_totals(job *job) {
    return sdimage_cache_get_disk_totals(job->cache, &job->first, &job->second, &job->error);
}

static sdimage_status run_manager_flush(job *job) {
    return sdimage_manager_flush(job->manager, (uint32_t)job->number, &job->error);
}

/* Ends running loads, whose results come as events meanwhile. TIMEOUT is no error: index.js waits for the events. */
static sdimage_status run_manager_close(job *job) {
    sdimage_manager_close(job->manager, (uint32_t)job->number, NULL);
    return SDIMAGE_STATUS_OK;
}

/* --- Results. They take over the references that an operation has stored. */
static napi_value take_image(napi_env env, job *job) {
    sdimage_image *image = job->made_image;
    job->made_image = NULL;
    return image_fields(env, image);
}

static napi_value take_data(napi_env env, job *job) {
    sdimage_data *data = job->made_data;
    job->made_data = NULL;
    return buffer_of(env, data);
}

static napi_value take_nothing(napi_env env, job *job) {
    (void)job;
    return undefined(env);
}

/* Returns the bits of sdimage_cache_layers. */
static napi_value take_layers(napi_env env, job *job) {
    return number(env, (double)job->first);
}

/* Returns {bytes, count}. */
static napi_value take_totals(napi_env env, job *job) {
    napi_value totals;
    napi_create_object(env, &totals);
    set(env, totals, "bytes", number(env, (double)job->first));
    set(env, totals, "count", number(env, (double)job->second));
    return totals;
}

/* The names are those that index.js passes to job_start. */
static const operation operations[] = {
    {"decode", run_decode, take_image},
    {"encode", run_encode, take_data},
    {"convert", run_convert, take_image},
    {"applyGainMap", run_apply_gain_map, take_image},
    {"frame", run_frame, take_image},
    {"cacheImage", run_cache_image, take_image},
    {"cacheData", run_cache_data, take_data},
    {"cacheStore", run_cache_store, take_nothing},
    {"cacheContains", run_cache_contains, take_layers},
    {"cacheRemove", run_cache_remove, take_nothing},
    {"cacheClear", run_cache_clear, take_nothing},
    {"cacheFlush", run_cache_flush, take_nothing},
    {"cacheClose", run_cache_close, take_nothing},
    {"cacheTotals", run_cache_totals, take_totals},
    {"managerFlush", run_manager_flush, take_nothing},
    {"managerClose", run_manager_close, take_nothing},
};

/* Frees a job with its inputs and its outputs that no value has taken over. */
static void job_free(job *job) {
    sdimage_cache_unref(job->cache);
    sdimage_manager_unref(job->manager);
    sdimage_image_unref(job->image);
    sdimage_data_unref(job->data);
    sdimage_decode_options_unref(job->decode);
    sdimage_encode_options_unref(job->encode);
    sdimage_image_unref(job->made_image);
    sdimage_data_unref(job->made_data);
    sdimage_error_unref(job->error);
    free(job->key);
    free(job);
}

/* Callback of the asynchronous work, on a thread of the pool. */
static void on_pool(napi_env env, void *data) {
    job *job = data;
    (void)env;
    job->status = job->operation->run(job);
}

/* The exception that prevented the creation of a value; clears it. */
static napi_value taken_exception(napi_env env) {
    napi_value exception = NULL;
    bool is_thrown = false;
    if (napi_is_exception_pending(env, &is_thrown) == napi_ok && is_thrown)
        napi_get_and_clear_last_exception(env, &exception);
    return exception ? exception : error_value(env, SDIMAGE_STATUS_NO_MEMORY, NULL);
}

/* Callback of the asynchronous work, on the thread of the environment: settles the promise and frees the job. */
static void on_loop(napi_env env, napi_status status, void *data) {
    job *job = data;
    napi_value value = NULL;
    if (status == napi_cancelled) /* the environment is ending */
        job->status = SDIMAGE_STATUS_CANCELLED;
    if (job->status < 0)
        napi_reject_deferred(env, job->deferred, error_value(env, job->status, job->error));
    else if ((value = job->operation->finish(env, job)))
        napi_resolve_deferred(env, job->deferred, value);
    else
        napi_reject_deferred(env, job->deferred, taken_exception(env));
    napi_delete_async_work(env, job->work);
    job_free(job);
}

/* Returns the operation of a name; NULL for none. */
static const operation *operation_of(napi_env env, napi_value name) {
    const operation *found = NULL;
    char *wanted = text_of(env, name, NULL);
    for (size_t index = 0; wanted && index < sizeof operations / sizeof *operations; index++)
        if (strcmp(wanted, operations[index].name) == 0)
            found = &operations[index];
    free(wanted);
    return found;
}

/* Reads {cache, manager, key, image, bytes, number, decode, encode}; false with an exception thrown. */
static bool read_inputs(napi_env env, job *job, napi_value object) {
    napi_value value;
    const void *bytes;
    size_t length = 0;
    if (property(env, object, "cache", &value) && !(job->cache = sdimage_cache_ref(handle_get(env, value, CACHE))))
        return false;
    if (property(env, object, "manager", &value) &&
        !(job->manager = sdimage_manager_ref(handle_get(env, value, MANAGER))))
        return false;
    if (property(env, object, "image", &value) && !(job->image = sdimage_image_ref(handle_get(env, value, IMAGE))))
        return false;
    if (property(env, object, "key", &value))
        job->key = text_of(env, value, &job->key_length);
    /* Copies the bytes, because a program may change or detach them while they are read. */
    if (property(env, object, "bytes", &value)) {
        if (!bytes_of(env, value, &bytes, &length))
            return false;
        sdimage_status status = sdimage_data_new(bytes, length, &job->data, NULL);
        if (status < 0) {
            throw_error(env, status, NULL);
            return false;
        }
    }
    if (property(env, object, "decode", &value))
        job->decode = decode_options_of(env, value);
    if (property(env, object, "encode", &value))
        job->encode = encode_options_of(env, value);
    has_number(env, object, "number", &job->number);
    return true;
}

/* Runs a job on this thread and frees it. Returns its result, or throws its error. */
static napi_value run_now(napi_env env, job *job) {
    napi_value value = NULL;
    job->status = job->operation->run(job);
    if (job->status < 0)
        napi_throw(env, error_value(env, job->status, job->error));
    else
        value = job->operation->finish(env, job);
    job_free(job);
    return value;
}

/* job(name, inputs, atOnce) => promise or value */
napi_value job_start(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS], promise = NULL;
    bool at_once = false;
    arguments(env, info, values);
    napi_get_value_bool(env, values[2], &at_once);
    job *made = calloc(1, sizeof *made);
    if (!made)
        return throw_error(env, SDIMAGE_STATUS_NO_MEMORY, NULL);
    if (!(made->operation = operation_of(env, values[0])) || !read_inputs(env, made, values[1])) {
        /* The readers of inputs throw their own errors; an unknown operation throws none. */
        bool thrown = false;
        job_free(made);
        napi_is_exception_pending(env, &thrown);
        return thrown ? NULL : throw_error(env, SDIMAGE_STATUS_INVALID_ARGUMENT, NULL);
    }
    if (at_once)
        return run_now(env, made);
    if (napi_create_promise(env, &made->deferred, &promise) != napi_ok) {
        job_free(made);
        return throw_error(env, SDIMAGE_STATUS_NO_MEMORY, NULL);
    }
    /* The promise exists: from here on errors reject it. */
    if (napi_create_async_work(env, NULL, text(env, "sdimage"), on_pool, on_loop, made, &made->work) != napi_ok ||
        napi_queue_async_work(env, made->work) != napi_ok) {
        napi_reject_deferred(env, made->deferred, taken_exception(env));
        if (made->work)
            napi_delete_async_work(env, made->work);
        job_free(made);
    }
    return promise;
}
