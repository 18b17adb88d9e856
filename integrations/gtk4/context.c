/* context.c: the dispatcher and the manager of a main context. */
#include "context.h"

/* --- The dispatcher: a source with a queue of calls. */

/* Time in microseconds that calls may take before other sources run: a quarter of a frame at 60 Hz. */
enum { LONGEST_DISPATCH_US = 4000 };

typedef struct Call {
    void (*run)(void *argument);
    void *argument;
} Call;

typedef struct CallSource {
    GSource source;
    GMutex lock;
    GQueue calls;    /* elements are Call; protected by the lock */
    bool is_closing; /* no more calls will come; protected by the lock */
} CallSource;

/* The value of the dispatcher. It holds the context, so that the context may end with its last reference elsewhere. */
typedef struct Poster {
    GMainContext *context;
    CallSource *source;
    GThread *thread;
} Poster;

static bool has_calls(CallSource *source) {
    g_mutex_lock(&source->lock);
    bool result = source->is_closing || !g_queue_is_empty(&source->calls);
    g_mutex_unlock(&source->lock);
    return result;
}

static gboolean prepare(GSource *source, gint *timeout) {
    *timeout = -1;
    return has_calls((CallSource *)source);
}

static gboolean check(GSource *source) {
    return has_calls((CallSource *)source);
}

static gboolean run_calls(GSource *base, GSourceFunc callback, gpointer user_data) {
    (void)callback, (void)user_data;
    CallSource *source = (CallSource *)base;
    gint64 end = g_get_monotonic_time() + LONGEST_DISPATCH_US;
    do {
        g_mutex_lock(&source->lock);
        Call *call = g_queue_pop_head(&source->calls);
        bool is_closed = !call && source->is_closing;
        g_mutex_unlock(&source->lock);
        if (!call)
            return is_closed ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
        Call next = *call;
        g_free(call);
        next.run(next.argument);
    } while (g_get_monotonic_time() < end);
    return G_SOURCE_CONTINUE;
}

static void finalize(GSource *base) {
    CallSource *source = (CallSource *)base;
    g_queue_clear_full(&source->calls, g_free); /* empty, unless the context ended before its calls */
    g_mutex_clear(&source->lock);
}

static GSourceFuncs source_functions = {prepare, check, run_calls, finalize, NULL, NULL};

static void post(void *user_data, void (*run)(void *argument), void *argument) {
    Poster *poster = user_data;
    Call *call = g_new(Call, 1);
    *call = (Call){run, argument};
    g_mutex_lock(&poster->source->lock);
    bool was_empty = g_queue_is_empty(&poster->source->calls);
    g_queue_push_tail(&poster->source->calls, call);
    g_mutex_unlock(&poster->source->lock);
    if (was_empty) /* otherwise the source is ready already */
        g_main_context_wakeup(poster->context);
}

static bool is_current(void *user_data) {
    return ((Poster *)user_data)->thread == g_thread_self();
}

/* The source removes itself when its queue is empty. */
static void destroy(void *user_data) {
    Poster *poster = user_data;
    g_mutex_lock(&poster->source->lock);
    poster->source->is_closing = true;
    g_mutex_unlock(&poster->source->lock);
    g_main_context_wakeup(poster->context);
    g_source_unref(&poster->source->source);
    g_main_context_unref(poster->context);
    g_free(poster);
}

sdimage_dispatcher *sdimage_gtk_dispatcher_new(GMainContext *context, GThread *thread) {
    static const sdimage_dispatcher_vtable table = {.size = sizeof table, .post = post, .is_current = is_current};
    CallSource *source = (CallSource *)g_source_new(&source_functions, sizeof *source);
    Poster *poster = g_new(Poster, 1);
    g_mutex_init(&source->lock);
    g_queue_init(&source->calls);
    source->is_closing = false;
    poster->context = g_main_context_ref(context ? context : g_main_context_default());
    poster->source = source;
    poster->thread = thread ? thread : g_thread_self();
    g_source_set_name(&source->source, "sdimage");
    /* Sources of the same priority take turns: neither frames nor deliveries starve. */
    g_source_set_priority(&source->source, GDK_PRIORITY_REDRAW);
    g_source_attach(&source->source, poster->context);
    sdimage_dispatcher *dispatcher = NULL;
    /* On failure `destroy` is called, and there is no dispatcher. */
    (void)sdimage_dispatcher_new_custom(&table, poster, destroy, &dispatcher, NULL);
    return dispatcher;
}

sdimage_dispatcher *main_dispatcher(void) {
    static gsize dispatcher;
    if (g_once_init_enter(&dispatcher))
        g_once_init_leave(&dispatcher, (gsize)sdimage_gtk_dispatcher_new(NULL, NULL));
    return (sdimage_dispatcher *)dispatcher;
}

/* --- The managers of contexts. */

static GMutex lock;
static GHashTable *managers; /* GMainContext to sdimage_manager, each referenced; protected by the lock */

static void unref_manager(gpointer manager) {
    sdimage_manager_unref(manager);
}

static void unref_context(gpointer context) {
    g_main_context_unref(context);
}

/* With the lock held. */
static GHashTable *table_of_managers(void) {
    if (!managers)
        managers = g_hash_table_new_full(NULL, NULL, unref_context, unref_manager);
    return managers;
}

static sdimage_manager *new_manager(GMainContext *context) {
    sdimage_manager *manager = NULL;
    bool is_main = context == g_main_context_default();
    sdimage_dispatcher *dispatcher =
        is_main ? sdimage_dispatcher_ref(main_dispatcher()) : sdimage_gtk_dispatcher_new(context, NULL);
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager_config_set_dispatcher(config, dispatcher);
    if (dispatcher)
        (void)sdimage_manager_new(config, &manager, NULL);
    sdimage_manager_config_unref(config);
    sdimage_dispatcher_unref(dispatcher);
    return manager;
}

sdimage_manager *sdimage_gtk_get_manager(GMainContext *context) {
    context = context ? context : g_main_context_default();
    g_mutex_lock(&lock);
    sdimage_manager *manager = g_hash_table_lookup(table_of_managers(), context);
    if (!manager && (manager = new_manager(context)))
        g_hash_table_insert(managers, g_main_context_ref(context), manager);
    manager = sdimage_manager_ref(manager);
    g_mutex_unlock(&lock);
    return manager;
}

void sdimage_gtk_set_manager(GMainContext *context, sdimage_manager *manager) {
    context = context ? context : g_main_context_default();
    gpointer key = NULL, previous = NULL;
    g_mutex_lock(&lock);
    (void)g_hash_table_steal_extended(table_of_managers(), context, &key, &previous);
    if (manager)
        g_hash_table_insert(managers, g_main_context_ref(context), sdimage_manager_ref(manager));
    g_mutex_unlock(&lock);
    /* Outside the lock: the last reference cancels loads, whose handlers are called. */
    sdimage_manager_unref(previous);
    if (key)
        g_main_context_unref(key);
}
