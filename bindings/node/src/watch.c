/* watch.c: descriptors watched by the loop of an environment, and calls into JavaScript from there. */
#include <stdlib.h>

#include "binding.h"

/* Callback of libuv, on the thread of the environment. */
static void ready(uv_poll_t *poll, int status, int events) {
    watch *watch = poll->data;
    napi_handle_scope scope;
    (void)events;
    if (status < 0 || napi_open_handle_scope(watch->env, &scope) != napi_ok)
        return;
    watch->readable(watch->env, watch);
    napi_close_handle_scope(watch->env, scope);
}

watch *watch_new(napi_env env, int descriptor, const char *name, void (*readable)(napi_env, watch *)) {
    uv_loop_t *loop;
    watch *made = calloc(1, sizeof *made);
    if (!made || napi_get_uv_event_loop(env, &loop) != napi_ok || uv_poll_init(loop, &made->poll, descriptor) != 0) {
        free(made);
        return NULL;
    }
    made->env = env;
    made->readable = readable;
    made->poll.data = made;
    /* Callbacks outside of a JavaScript call need a context. */
    napi_async_init(env, NULL, text(env, name), &made->context);
    uv_poll_start(&made->poll, UV_READABLE, ready);
    uv_unref((uv_handle_t *)&made->poll); /* an idle watch keeps no process alive */
    return made;
}

/* Callback of libuv after the last use of the handle. */
static void closed(uv_handle_t *handle) {
    free(handle->data);
}

void watch_close(watch *watch) {
    napi_async_destroy(watch->env, watch->context);
    uv_poll_stop(&watch->poll);
    uv_close((uv_handle_t *)&watch->poll, closed);
}

void watch_call(napi_env env, watch *watch, napi_ref function, size_t count, const napi_value *values) {
    napi_value called, global, error;
    bool thrown = false;
    napi_get_reference_value(env, function, &called);
    napi_get_global(env, &global);
    napi_make_callback(env, watch->context, global, called, count, values, NULL);
    /* index.js catches all exceptions. An exception of a microtask is the process's to handle. */
    if (napi_is_exception_pending(env, &thrown) == napi_ok && thrown &&
        napi_get_and_clear_last_exception(env, &error) == napi_ok)
        napi_fatal_exception(env, error);
}
