/* addon.c: the addon: one binding for each environment that requires it, and the functions that index.js uses.
 *
 * NAPI_MODULE_INIT runs once in each environment, on its thread. All functions run on the thread of their
 * environment. */
#include <stdlib.h>

#include "binding.h"

/* Cleanup hook of the environment, before its values are collected. No event from the loop follows. A member is NULL if
 * the binding could not be made completely. */
static void ending(void *data) {
    binding *binding = data;
    if (binding->events)
        watch_close(binding->events);
    if (binding->requests)
        watch_close(binding->requests);
    if (binding->inbox)
        inbox_close(binding->inbox);
    sdimage_dispatcher_unref(binding->dispatcher);
}

/* Finalizer of the binding, which values still use while they are collected with the environment. */
static void ended(napi_env env, void *data, void *hint) {
    (void)env;
    (void)hint;
    free(data);
}

/* setup(deliver, asked, dropped, error, maximum size of a Buffer in bytes): stores what the addon calls. */
static napi_value setup(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS];
    arguments(env, info, values);
    binding *binding = binding_of(env);
    napi_create_reference(env, values[0], 1, &binding->deliver);
    napi_create_reference(env, values[1], 1, &binding->asked);
    napi_create_reference(env, values[2], 1, &binding->dropped);
    napi_create_reference(env, values[3], 1, &binding->error);
    binding->max_bytes = number_of(env, values[4]);
    return NULL;
}

/* handles() => number of objects that values hold. */
static napi_value handles(napi_env env, napi_callback_info info) {
    (void)info;
    return number(env, (double)binding_of(env)->handles);
}

/* Returns the status numbers by name, so that index.js need not repeat them. Skips numbers without a status, whose name
 * is UNKNOWN. */
static napi_value statuses(napi_env env) {
    napi_value table;
    napi_create_object(env, &table);
    for (int status = 0; status > -128; status--)
        if (sdimage_status_name((sdimage_status)status)[0] != 'U' || status == SDIMAGE_STATUS_UNSUPPORTED)
            set(env, table, sdimage_status_name((sdimage_status)status), number(env, status));
    return table;
}

/* Makes the binding of an environment, and watches its two descriptors. NULL with an exception thrown. */
static binding *binding_new(napi_env env) {
    binding *made = calloc(1, sizeof *made);
    sdimage_error *error = NULL;
    if (!made || sdimage_dispatcher_new_pollable(&made->dispatcher, &error) < 0 || !(made->inbox = inbox_new())) {
        napi_throw_error(env, NULL, error ? sdimage_error_message(error) : "library: no memory");
        sdimage_error_unref(error);
        if (made)
            ending(made);
        free(made);
        return NULL; /* the process has run out of descriptors, so the addon cannot work */
    }
    /* From here on the environment owns the binding, also after a failure below. */
    napi_set_instance_data(env, made, ended, NULL);
    napi_add_env_cleanup_hook(env, ending, made);
    made->events = watch_new(env, sdimage_dispatcher_descriptor(made->dispatcher), "sdimage.load", take_events);
    made->requests = watch_new(env, inbox_descriptor(made->inbox), "sdimage.loader", take_requests);
    if (!made->events || !made->requests) {
        napi_throw_error(env, NULL, "event loop: descriptor refused");
        return NULL;
    }
    return made;
}

/* Returns the exports: the functions by the names that index.js uses, and the statuses. NULL with an exception
 * pending. */
NAPI_MODULE_INIT() {
    static const struct {
        const char *name;
        napi_callback function;
    } functions[] = {
        {"setup", setup},
        {"handles", handles},
        {"release", handle_release},
        {"managerNew", manager_new},
        {"managerStart", manager_start},
        {"managerCancelAll", manager_cancel_all},
        {"managerRunningCount", manager_running_count},
        {"managerIsOffline", manager_is_offline},
        {"managerSetOffline", manager_set_offline},
        {"managerForgetFailed", manager_forget_failed},
        {"taskCancel", task_cancel},
        {"taskPriority", task_priority},
        {"taskSetPriority", task_set_priority},
        {"taskResult", task_result},
        {"imageNew", image_new},
        {"imagePixels", image_pixels},
        {"pixelBytes", pixel_bytes},
        {"cacheNew", cache_new},
        {"cacheMemoryImage", cache_memory_image},
        {"cacheSetMemoryImage", cache_set_memory_image},
        {"loaderNew", loader_new},
        {"sinkExpect", sink_expect},
        {"sinkWrite", sink_write},
        {"sinkFinish", sink_finish},
        {"sinkFinishWithImage", sink_finish_with_image},
        {"sinkFail", sink_fail},
        {"job", job_start},
        {"info", info_of_bytes},
        {"sniff", sniff},
        {"version", version},
        {"doctor", doctor},
        {"metrics", metrics},
    };
    /* The functions find their binding by the environment, so it is made first. */
    if (!binding_new(env))
        return NULL;
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        napi_value function;
        napi_create_function(env, functions[index].name, NAPI_AUTO_LENGTH, functions[index].function, NULL, &function);
        set(env, exports, functions[index].name, function);
    }
    set(env, exports, "statuses", statuses(env));
    return exports;
}
