/* inbox.c: custom loaders.
 *
 * Threads of the library put requests into the inbox of the environment that created the loader; its loop takes them
 * out. While a loader references it, the inbox outlives the environment, and then refuses requests.
 *
 * `can_load` runs on any thread; `load`, `cancel` and `destroy` on threads of the library. loader_new, take_requests
 * and inbox_close run on the thread of the environment. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "binding.h"

/* A request in the inbox: to load, or to stop a load. */
typedef struct asked {
    struct asked *next;
    uint32_t loader;         /* number by which index.js knows the loader */
    char *url;               /* NULL: the load of `sink` was cancelled */
    sdimage_load_sink *sink; /* referenced */
} asked;

/* The lock guards the list and `is_closed`. */
struct inbox {
    pthread_mutex_t lock;
    atomic_int references; /* held by the environment and by each loader */
    int descriptor;        /* an eventfd, readable while requests wait */
    bool is_closed;
    asked *first, **last; /* `last`: the link in which the next request is stored */
};

/* The user data of a loader. */
typedef struct custom {
    inbox *inbox;
    uint32_t number;
    size_t count;    /* 0: all URLs */
    char *schemes[]; /* "tar:" */
} custom;

inbox *inbox_new(void) {
    inbox *made = calloc(1, sizeof *made);
    if (!made || (made->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0) {
        free(made);
        return NULL;
    }
    pthread_mutex_init(&made->lock, NULL);
    made->references = 1;
    made->last = &made->first;
    return made;
}

int inbox_descriptor(const inbox *inbox) {
    return inbox->descriptor;
}

/* Releases a reference; the last one frees the inbox. On any thread. */
static void inbox_unref(inbox *inbox) {
    if (--inbox->references > 0)
        return;
    close(inbox->descriptor);
    pthread_mutex_destroy(&inbox->lock);
    free(inbox);
}

/* Ends a load whose environment has ended. */
static void refuse(sdimage_load_sink *sink) {
    sdimage_error *error = sdimage_error_new(SDIMAGE_STATUS_SHUTDOWN, "loader: environment has ended");
    /* Passing no error would mean success. Without memory for one, releasing the sink is a failure too. */
    if (error)
        sdimage_load_sink_finish(sink, error);
    sdimage_error_unref(error);
}

/* Frees a request, outside of the lock: releasing the sink may end its load. */
static void asked_free(asked *asked) {
    sdimage_load_sink_unref(asked->sink);
    free(asked->url);
    free(asked);
}

/* Takes all requests out, and closes the inbox if required. */
static asked *take_all(inbox *inbox, bool closing) {
    pthread_mutex_lock(&inbox->lock);
    asked *list = inbox->first;
    inbox->first = NULL;
    inbox->last = &inbox->first;
    inbox->is_closed |= closing;
    pthread_mutex_unlock(&inbox->lock);
    return list;
}

void inbox_close(inbox *inbox) {
    asked *next;
    for (asked *each = take_all(inbox, true); each; each = next) {
        next = each->next;
        refuse(each->sink);
        asked_free(each);
    }
    inbox_unref(inbox);
}

/* Adds a request and wakes the loop; false if the inbox is closed or memory is exhausted. Takes over `url`. */
static bool put(inbox *inbox, uint32_t loader, char *url, sdimage_load_sink *sink) {
    uint64_t one = 1;
    asked *made = calloc(1, sizeof *made);
    pthread_mutex_lock(&inbox->lock);
    bool is_taken = made && !inbox->is_closed;
    if (is_taken) {
        *made = (asked){.loader = loader, .url = url, .sink = sdimage_load_sink_ref(sink)};
        *inbox->last = made;
        inbox->last = &made->next;
    }
    pthread_mutex_unlock(&inbox->lock);
    if (!is_taken) {
        free(made);
        free(url);
    } else if (write(inbox->descriptor, &one, sizeof one) < 0) {
        /* The counter is full: enough wake-ups of the loop are pending. */
    }
    return is_taken;
}

/* Compares schemes, "mine:", with the beginning of the URL. Must not block. */
static bool can_load(void *user_data, const sdimage_request *request) {
    custom *custom = user_data;
    const char *url = sdimage_request_url(request, NULL);
    for (size_t index = 0; index < custom->count; index++)
        if (strncasecmp(url, custom->schemes[index], strlen(custom->schemes[index])) == 0)
            return true;
    return custom->count == 0;
}

/* Passes a load to the loop and returns; index.js finishes the sink later. */
static sdimage_status load(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    custom *custom = user_data;
    char *url = strdup(sdimage_request_url(request, NULL));
    if (!url)
        return SDIMAGE_STATUS_NO_MEMORY;
    if (!put(custom->inbox, custom->number, url, sink))
        refuse(sink);
    return SDIMAGE_STATUS_OK;
}

/* Tells the loop that no load is waiting for the sink. */
static void cancel(void *user_data, sdimage_load_sink *sink) {
    put(((custom *)user_data)->inbox, 0, NULL, sink);
}

/* Frees the user data. Also called when the loader could not be made. */
static void destroy(void *user_data) {
    custom *custom = user_data;
    inbox_unref(custom->inbox);
    for (size_t index = 0; index < custom->count; index++)
        free(custom->schemes[index]);
    free(custom);
}

/* loaderNew(number, schemes) => loader. index.js finds the function by the number. */
napi_value loader_new(napi_env env, napi_callback_info info) {
    static const sdimage_loader_vtable table = {
        .size = sizeof table, .can_load = can_load, .load = load, .cancel = cancel};
    napi_value values[MAX_ARGUMENTS], scheme;
    sdimage_loader *loader = NULL;
    sdimage_error *error = NULL;
    uint32_t count = 0;
    arguments(env, info, values);
    napi_get_array_length(env, values[1], &count);
    custom *made = calloc(1, sizeof *made + count * sizeof *made->schemes);
    if (!made)
        return throw_error(env, SDIMAGE_STATUS_NO_MEMORY, NULL);
    made->inbox = binding_of(env)->inbox;
    made->inbox->references++;
    made->number = (uint32_t)number_of(env, values[0]);
    for (; made->count < count; made->count++) {
        napi_get_element(env, values[1], (uint32_t)made->count, &scheme);
        if (!(made->schemes[made->count] = text_of(env, scheme, NULL))) { /* else the loader would take all URLs */
            destroy(made);
            return throw_error(env, SDIMAGE_STATUS_INVALID_ARGUMENT, NULL);
        }
    }
    sdimage_status status = sdimage_loader_new_custom("javascript", &table, made, destroy, &loader, &error);
    return status < 0 ? throw_error(env, status, error) : handle_wrap(env, LOADER, loader);
}

void take_requests(napi_env env, watch *watch) {
    binding *binding = binding_of(env);
    uint64_t count;
    asked *next;
    /* Resets the descriptor, before the list is taken: requests that come later wake the loop again. */
    if (read(inbox_descriptor(binding->inbox), &count, sizeof count) < 0)
        return;
    for (asked *each = take_all(binding->inbox, false); each; each = next) {
        napi_handle_scope scope;
        next = each->next;
        napi_open_handle_scope(env, &scope);
        /* The address of a sink identifies it while the loader works, because the loader holds a reference. */
        napi_value id = number(env, (double)(uintptr_t)each->sink);
        if (each->url) {
            napi_value values[] = {number(env, each->loader), text(env, each->url),
                                   handle_wrap(env, SINK, sdimage_load_sink_ref(each->sink)), id};
            watch_call(env, watch, binding->asked, 4, values);
            /* Another thread may have put the end of the load in before its start. That end was not reported. */
            if (sdimage_load_sink_is_cancelled(each->sink))
                watch_call(env, watch, binding->dropped, 1, &id);
        } else {
            watch_call(env, watch, binding->dropped, 1, &id);
        }
        napi_close_handle_scope(env, scope);
        asked_free(each);
    }
}
