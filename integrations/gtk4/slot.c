/* slot.c: the load of a widget: a target, the size for which it decodes, and the task of the caller. */
#include "slot.h"

#include "context.h"
#include "paintable.h"

/* One load: from the call that sets the URL to its final result. Reference counted; the target holds a reference, which
 * it releases on a thread of the library, when the rest of the contents is released already. */
typedef struct Attempt {
    Slot *slot;
    GTask *task;           /* nullable */
    GSource *cancellation; /* nullable */
    bool is_started;
    bool is_growth; /* the same image again, larger: until it arrives, and if it fails, the shown one stays */
} Attempt;

/* Reference counted, because the widget may close it in a callback. */
struct Slot {
    GtkWidget *widget; /* NULL after it was closed */
    SdimagePaintable *paintable;
    SlotFunctions functions;
    sdimage_manager *manager;
    sdimage_target *target; /* NULL until the first load */
    char *url, *blurhash;
    sdimage_request *request;
    sdimage_target_options *options;
    uint32_t fade_ms;
    bool is_progressive, is_retry, has_priority, is_held;
    sdimage_priority priority;
    int usual_width, usual_height;
    sdimage_size box;        /* size in device pixels for which the load decodes; 0: a side without a limit */
    sdimage_scale_mode mode; /* mode of the box */
    bool has_box;            /* a load was started for it */
    Attempt *attempt;        /* the current one; NULL when it has ended */
    guint latest;            /* number of the latest call that started or ended a load */
    guint tick;
    guint mapped_ticks; /* frames for which a pending load waited while mapped */
    SdimageState state;
    double progress;
    GError *error;
};

enum { SMALLEST_STEP = 16, LARGEST_STEP = 4096, STEPS_PER_OCTAVE = 8, HASH_SIDE = 32, FRAMES_UNTIL_ALLOCATED = 2 };

/* Not by G_DEFINE_QUARK, whose first argument clang-format takes for a difference. */
GQuark sdimage_gtk_error_quark(void) {
    return g_quark_from_static_string("sdimage-gtk-error-quark");
}

static Slot *acquire(Slot *slot) {
    return g_atomic_rc_box_acquire(slot);
}

static void release(gpointer slot) {
    g_atomic_rc_box_release(slot);
}

static void release_attempt(gpointer attempt) {
    g_atomic_rc_box_release(attempt);
}

/* --- State. */

SdimageState slot_state(const Slot *slot) {
    return slot->state;
}

double slot_progress(const Slot *slot) {
    return slot->progress;
}

const GError *slot_error(const Slot *slot) {
    return slot->error;
}

static GError *error_of(const sdimage_error *error, sdimage_status status) {
    if (status == SDIMAGE_STATUS_CANCELLED)
        return g_error_new_literal(G_IO_ERROR, G_IO_ERROR_CANCELLED, "the load was cancelled");
    const char *message = error ? sdimage_error_message(error) : sdimage_status_name(status);
    return g_error_new_literal(SDIMAGE_GTK_ERROR, (int)status, message);
}

/* Takes `error`, nullable. Handlers of the program run here. */
static void set_state(Slot *slot, SdimageState state, GError *error) {
    if (!slot->widget) {
        g_clear_error(&error);
        return;
    }
    bool is_changed = slot->state != state || error || slot->error;
    bool is_busy = state == SDIMAGE_STATE_LOADING, was_busy = slot->state == SDIMAGE_STATE_LOADING;
    g_clear_error(&slot->error);
    slot->error = error;
    slot->state = state;
    if (!is_changed)
        return;
    if (is_busy != was_busy)
        gtk_accessible_update_state(GTK_ACCESSIBLE(slot->widget), GTK_ACCESSIBLE_STATE_BUSY, is_busy, -1);
    if (slot->functions.state_changed)
        slot->functions.state_changed(slot->widget);
}

static void report_progress(Slot *slot) {
    if (slot->widget && slot->functions.progress_changed)
        slot->functions.progress_changed(slot->widget);
}

static void set_progress(Slot *slot, double progress) {
    if (slot->progress == progress || !slot->widget)
        return;
    slot->progress = progress;
    report_progress(slot);
}

/* --- The end of an attempt. Takes `error`; NULL: the image is shown. */

static void finish(Attempt *attempt, GError *error) {
    Slot *slot = attempt->slot;
    GTask *task = g_steal_pointer(&attempt->task);
    bool is_cancelled = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    if (attempt->cancellation) {
        g_source_destroy(attempt->cancellation);
        g_source_unref(attempt->cancellation);
        attempt->cancellation = NULL;
    }
    if (slot->attempt == attempt) {
        slot->attempt = NULL;
        bool has_advanced = !error && slot->progress != 1;
        if (has_advanced)
            slot->progress = 1;
        /* From here on handlers of the program run, which may start another load. */
        if (!error || !attempt->is_growth)
            set_state(slot,
                      !error         ? SDIMAGE_STATE_READY
                      : is_cancelled ? SDIMAGE_STATE_EMPTY
                                     : SDIMAGE_STATE_FAILED,
                      error && !is_cancelled ? g_error_copy(error) : NULL);
        if (has_advanced)
            report_progress(slot);
        slot_check_size(slot); /* the widget may have grown meanwhile */
    }
    if (task && error)
        g_task_return_error(task, g_steal_pointer(&error));
    else if (task)
        g_task_return_boolean(task, TRUE);
    g_clear_error(&error);
    g_clear_object(&task);
    release_attempt(attempt);
}

/* --- Callbacks of the target, all on the thread of GTK. */

static void set_image(void *user_data, const char *key, sdimage_image *image, sdimage_result *result) {
    (void)key;
    Slot *slot = user_data;
    bool is_growth = slot->attempt && slot->attempt->is_growth;
    if (slot->widget && (result || !is_growth))
        paintable_show(slot->paintable, image, !result);
}

static void update_progress(void *user_data, const char *key, double fraction) {
    (void)key;
    Slot *slot = acquire(user_data);
    if (!slot->attempt || !slot->attempt->is_growth)
        set_progress(slot, fraction);
    release(slot);
}

static void prepare_transition(void *user_data, const char *key, sdimage_transition transition, uint32_t duration_ms,
                               sdimage_image *image, sdimage_result *result) {
    (void)key, (void)image, (void)result;
    Slot *slot = user_data;
    if (slot->widget && transition != SDIMAGE_TRANSITION_NONE)
        paintable_start_fade(slot->paintable, duration_ms);
}

static void end_transition(void *user_data, const char *key, bool finished) {
    (void)key, (void)finished;
    Slot *slot = user_data;
    if (slot->widget)
        paintable_end_fade(slot->paintable);
}

static void receive(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)task;
    Attempt *attempt = user_data;
    if (sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL)
        return;
    Slot *slot = acquire(attempt->slot);
    const sdimage_error *error = sdimage_result_error(result);
    sdimage_status status = error ? sdimage_error_code(error) : SDIMAGE_STATUS_NOT_FOUND; /* in no cache */
    finish(attempt, sdimage_result_image(result) ? NULL : error_of(error, status));
    release(slot);
}

/* --- Sizes. */

/* Rounds a side up, so that sizes that differ little share cached images. */
static uint32_t rounded(uint32_t side) {
    uint32_t step = SMALLEST_STEP;
    while (side >= step * 2 * STEPS_PER_OCTAVE && step < LARGEST_STEP)
        step *= 2;
    return (MIN(side, G_MAXUINT16) + step - 1) / step * step;
}

/* Reads the size of the widget in device pixels, rounded up, and its ratio to that in application pixels; false while
 * it has none. */
static bool find_size(const Slot *slot, sdimage_size *size, double *density) {
    int width = gtk_widget_get_width(slot->widget), height = gtk_widget_get_height(slot->widget);
    int scale = gtk_widget_get_scale_factor(slot->widget);
    bool is_allocated = (width > 0 && height > 0) || slot->mapped_ticks >= FRAMES_UNTIL_ALLOCATED;
    if (!is_allocated)
        gtk_widget_get_size_request(slot->widget, &width, &height);
    if (!is_allocated && (width <= 0 || height <= 0)) {
        width = slot->usual_width;
        height = slot->usual_height;
    }
    uint32_t columns = (uint32_t)MAX(width, 0), rows = (uint32_t)MAX(height, 0);
    *size = (sdimage_size){rounded(columns * (uint32_t)scale), rounded(rows * (uint32_t)scale)};
    *density = MAX(columns > 0 ? (double)size->width / columns : 0, rows > 0 ? (double)size->height / rows : 0);
    return is_allocated || (width > 0 && height > 0);
}

void slot_set_usual_size(Slot *slot, int width, int height) {
    slot->usual_width = width;
    slot->usual_height = height;
}

/* --- Requests. */

/* The mode of a box: a side without a limit cannot be covered. */
static sdimage_scale_mode mode_of(GtkContentFit fit, uint32_t width, uint32_t height) {
    bool is_covered = fit == GTK_CONTENT_FIT_COVER || fit == GTK_CONTENT_FIT_FILL;
    return is_covered && width > 0 && height > 0 ? SDIMAGE_SCALE_MODE_ASPECT_FILL : SDIMAGE_SCALE_MODE_ASPECT_FIT;
}

sdimage_request *slot_request(const SlotLoad *load, GtkContentFit fit, uint32_t width, uint32_t height) {
    sdimage_request *request =
        load->request ? sdimage_request_copy(load->request) : sdimage_request_new(load->url ? load->url : "");
    if (load->url)
        sdimage_request_set_url(request, load->url, SDIMAGE_NUL_TERMINATED);
    width = rounded(width);
    height = rounded(height);
    if (width > 0 || height > 0)
        sdimage_request_set_thumbnail_size(request, width > 0 ? width : G_MAXUINT16, height > 0 ? height : G_MAXUINT16,
                                           mode_of(fit, width, height));
    /* The format that GDK uploads and cairo draws without a conversion. */
    if (sdimage_request_pixel_format(request) == SDIMAGE_PIXEL_FORMAT_AUTOMATIC)
        sdimage_request_set_pixel_format(request, SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED);
    if (load->is_progressive)
        sdimage_request_set_progressive(request, true);
    return request;
}

static sdimage_target_options *options_of(const Slot *slot, bool is_growth) {
    if (slot->options && !is_growth)
        return sdimage_target_options_ref(slot->options);
    sdimage_target_options *options = sdimage_target_options_new();
    if (is_growth) {
        sdimage_target_options_set_placeholder_time(options, SDIMAGE_PLACEHOLDER_TIME_ON_FAILURE);
        if (slot->options) {
            sdimage_manager *manager = NULL;
            sdimage_target_options_get_manager(slot->options, &manager);
            sdimage_target_options_set_manager(options, manager);
            sdimage_manager_unref(manager);
            sdimage_target_options_set_key(options, sdimage_target_options_key(slot->options));
        }
        return options;
    }
    if (slot->fade_ms > 0)
        sdimage_target_options_set_transition(options, SDIMAGE_TRANSITION_FADE, slot->fade_ms);
    if (slot->blurhash)
        sdimage_target_options_set_blurhash(options, slot->blurhash, SDIMAGE_NUL_TERMINATED, HASH_SIDE, HASH_SIDE);
    return options;
}

/* --- Starting. */

static sdimage_status open_target(Slot *slot) {
    static const sdimage_target_vtable table = {.size = sizeof table,
                                                .set_image = set_image,
                                                .indicator_update = update_progress,
                                                .transition_prepare = prepare_transition,
                                                .transition_end = end_transition};
    if (slot->target)
        return SDIMAGE_STATUS_OK;
    slot->manager = sdimage_gtk_get_manager(NULL);
    return sdimage_target_new(slot->manager, main_dispatcher(), &table, acquire(slot), release, &slot->target, NULL);
}

static GtkContentFit fit_of(const Slot *slot) {
    return slot->functions.content_fit ? slot->functions.content_fit(slot->widget) : GTK_CONTENT_FIT_CONTAIN;
}

/* Starts the current attempt for a size. */
static void start(Slot *slot, sdimage_size size, double density) {
    static const sdimage_load_handler handler = {.size = sizeof handler, .result = receive};
    Attempt *attempt = slot->attempt;
    GtkContentFit fit = fit_of(slot);
    SlotLoad load = {.url = slot->url, .request = slot->request, .is_progressive = slot->is_progressive};
    sdimage_request *request = slot_request(&load, fit, size.width, size.height);
    sdimage_target_options *options = options_of(slot, attempt->is_growth);
    sdimage_error *error = NULL;
    if (attempt->is_growth)
        sdimage_request_set_progressive(request, false);
    if (slot->is_retry)
        sdimage_request_set_retry_failed(request, true);
    if (slot->has_priority)
        sdimage_request_set_priority(request, slot->priority);
    slot->box = size;
    slot->mode = mode_of(fit, size.width, size.height);
    paintable_set_density(slot->paintable, density > 0 ? density : 1);
    slot->has_box = true;
    attempt->is_started = true;
    sdimage_status status = open_target(slot);
    if (status >= 0) /* ends the previous load; an image in memory is shown, and the attempt finished, in this call */
        status = sdimage_target_load(slot->target, request, options, &handler, g_atomic_rc_box_acquire(attempt),
                                     release_attempt, NULL, &error);
    if (status < 0)
        finish(attempt, error_of(error, status));
    sdimage_error_unref(error);
    sdimage_target_options_unref(options);
    sdimage_request_unref(request);
}

/* A side without a limit is large enough. */
static bool is_too_small(uint32_t side, uint32_t wanted) {
    return side > 0 && wanted > side;
}

/* True if more pixels are needed than were decoded for the earlier box, for a larger one or to cover it. */
static bool needs_more(const Slot *slot, sdimage_size size) {
    bool has_to_cover = slot->mode == SDIMAGE_SCALE_MODE_ASPECT_FIT &&
                        mode_of(fit_of(slot), size.width, size.height) == SDIMAGE_SCALE_MODE_ASPECT_FILL &&
                        !paintable_covers(slot->paintable, size);
    return paintable_can_grow(slot->paintable) &&
           (has_to_cover || is_too_small(slot->box.width, size.width) || is_too_small(slot->box.height, size.height));
}

static gboolean on_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer user_data) {
    (void)clock;
    Slot *slot = acquire(user_data);
    sdimage_size size;
    double density = 1;
    bool waits = slot->attempt && !slot->attempt->is_started && !slot->is_held;
    if (waits && gtk_widget_get_mapped(widget))
        slot->mapped_ticks++;
    bool is_known = find_size(slot, &size, &density);
    bool goes_on = waits && !is_known;
    if (!goes_on)
        slot->tick = 0; /* GTK removes it */
    if (waits && is_known) {
        start(slot, size, density);
    } else if (!slot->attempt && slot->has_box && is_known && needs_more(slot, size)) {
        slot->attempt = g_atomic_rc_box_new0(Attempt);
        slot->attempt->slot = slot;
        slot->attempt->is_growth = true;
        start(slot, size, density);
    }
    release(slot);
    return goes_on;
}

void slot_check_size(Slot *slot) {
    bool waits = slot->is_held && slot->attempt;
    if (slot->widget && slot->tick == 0 && !waits && (slot->url || slot->request))
        slot->tick = gtk_widget_add_tick_callback(slot->widget, on_tick, slot, NULL);
}

static gboolean on_cancelled(GCancellable *cancellable, gpointer user_data) {
    (void)cancellable;
    Attempt *attempt = user_data;
    Slot *slot = acquire(attempt->slot);
    if (attempt->is_started)
        sdimage_target_cancel_latest(slot->target);
    else
        finish(attempt, error_of(NULL, SDIMAGE_STATUS_CANCELLED));
    release(slot);
    return G_SOURCE_REMOVE;
}

/* Makes the next attempt the current one, and ends the previous one. */
static void replace_attempt(Slot *slot, Attempt *attempt) {
    Attempt *previous = slot->attempt;
    slot->attempt = attempt;
    if (previous && !previous->is_started)
        finish(previous, error_of(NULL, SDIMAGE_STATUS_CANCELLED));
}

/* Starts a load of the URL now, or when the widget has a size. */
static void begin(Slot *slot, GTask *task) {
    Attempt *attempt = g_atomic_rc_box_new0(Attempt);
    sdimage_size size;
    double density = 1;
    GCancellable *cancellable = task ? g_task_get_cancellable(task) : NULL;
    slot->latest++;
    attempt->slot = slot;
    attempt->task = task;
    if (cancellable) {
        attempt->cancellation = g_cancellable_source_new(cancellable);
        g_source_set_callback(attempt->cancellation, G_SOURCE_FUNC(on_cancelled), attempt, NULL);
        g_source_attach(attempt->cancellation, NULL);
    }
    replace_attempt(slot, attempt); /* from here on handlers of the program run */
    slot->mapped_ticks = 0;
    slot->has_box = false;
    set_progress(slot, 0);
    if (slot->attempt == attempt)
        set_state(slot, SDIMAGE_STATE_LOADING, NULL);
    if (slot->attempt != attempt || !slot->widget)
        return;
    if (!slot->is_held && find_size(slot, &size, &density)) {
        start(slot, size, density);
        return;
    }
    if (slot->target)
        sdimage_target_cancel_latest(slot->target);
    if (slot->attempt != attempt || !slot->widget)
        return;
    paintable_show(slot->paintable, NULL, false);
    slot_check_size(slot);
}

static void set_load(Slot *slot, const SlotLoad *load) {
    g_free(slot->url);
    slot->url = g_strdup(load->url);
    g_free(slot->blurhash);
    slot->blurhash = g_strdup(load->blurhash);
    sdimage_request_unref(slot->request);
    slot->request = load->request ? sdimage_request_copy(load->request) : NULL;
    sdimage_target_options *options = load->options ? sdimage_target_options_ref(load->options) : NULL;
    sdimage_target_options_unref(slot->options);
    slot->options = options;
    slot->fade_ms = load->fade_ms;
    slot->is_progressive = load->is_progressive;
    slot->is_retry = false;
}

void slot_load(Slot *slot, const SlotLoad *load, GTask *task) {
    acquire(slot);
    set_load(slot, load);
    begin(slot, task);
    release(slot);
}

void slot_retry(Slot *slot) {
    acquire(slot);
    slot->is_retry = true;
    begin(slot, NULL);
    release(slot);
}

void slot_set_held(Slot *slot, bool is_held) {
    sdimage_size size;
    double density = 1;
    if (slot->is_held == is_held)
        return;
    acquire(slot);
    slot->is_held = is_held;
    if (is_held && slot->attempt && slot->attempt->is_started && !slot->attempt->is_growth)
        begin(slot, NULL);
    else if (!is_held && slot->attempt && !slot->attempt->is_started && find_size(slot, &size, &density))
        start(slot, size, density);
    else if (!is_held)
        slot_check_size(slot);
    release(slot);
}

/* --- Ending. */

/* Cancels, and releases the image. */
static void end_load(Slot *slot) {
    guint mine = ++slot->latest;
    replace_attempt(slot, NULL);
    if (slot->target && slot->latest == mine)
        sdimage_target_cancel_latest(slot->target);
    if (!slot->widget || slot->latest != mine)
        return; /* a handler of the program has destroyed it, or started another load */
    slot->has_box = false;
    paintable_end_fade(slot->paintable);
    paintable_show(slot->paintable, NULL, false);
    bool had_progress = slot->progress != 0;
    slot->progress = 0;
    set_state(slot, SDIMAGE_STATE_EMPTY, NULL);
    if (had_progress)
        report_progress(slot);
}

void slot_set_fade(Slot *slot, uint32_t duration_ms) {
    slot->fade_ms = duration_ms;
}

void slot_clear(Slot *slot) {
    acquire(slot);
    set_load(slot, &(SlotLoad){.url = NULL});
    end_load(slot);
    release(slot);
}

void slot_set_priority(Slot *slot, sdimage_priority priority) {
    if (slot->has_priority && slot->priority == priority)
        return;
    slot->has_priority = true;
    slot->priority = priority;
    if (slot->target && slot->attempt && slot->attempt->is_started)
        sdimage_target_set_priority(slot->target, slot->options ? sdimage_target_options_key(slot->options) : NULL,
                                    priority);
}

/* --- The widget. */

static void on_root_changed(Slot *slot) {
    acquire(slot);
    if (!gtk_widget_get_root(slot->widget))
        end_load(slot); /* its URL stays, and is loaded again in the next window */
    else if ((slot->url || slot->request) && !slot->attempt && !slot->has_box)
        begin(slot, NULL);
    release(slot);
}

/* A load that waits behind others gives way while its widget is unmapped. */
static void on_mapped_changed(Slot *slot, bool is_mapped) {
    if (slot->has_priority || !slot->target || !slot->attempt)
        return;
    sdimage_priority usual = slot->request ? sdimage_request_priority(slot->request) : SDIMAGE_PRIORITY_NORMAL;
    sdimage_target_set_priority(slot->target, slot->options ? sdimage_target_options_key(slot->options) : NULL,
                                is_mapped ? usual : SDIMAGE_PRIORITY_LOW);
}

static void on_map(Slot *slot) {
    on_mapped_changed(slot, true);
}

static void on_unmap(Slot *slot) {
    on_mapped_changed(slot, false);
}

static void on_resized(gpointer slot) {
    slot_check_size(slot);
}

Slot *slot_new(GtkWidget *widget, SdimagePaintable *paintable, const SlotFunctions *functions) {
    Slot *slot = g_atomic_rc_box_new0(Slot);
    slot->widget = widget;
    slot->paintable = g_object_ref(paintable);
    slot->functions = *functions;
    paintable_set_widget(paintable, widget);
    paintable_set_resized(paintable, on_resized, slot);
    g_signal_connect_swapped(widget, "notify::root", G_CALLBACK(on_root_changed), slot);
    g_signal_connect_swapped(widget, "notify::scale-factor", G_CALLBACK(slot_check_size), slot);
    g_signal_connect_swapped(widget, "notify::content-fit", G_CALLBACK(slot_check_size), slot);
    g_signal_connect_swapped(widget, "map", G_CALLBACK(on_map), slot);
    g_signal_connect_swapped(widget, "unmap", G_CALLBACK(on_unmap), slot);
    return slot;
}

void slot_close(Slot *slot) {
    g_signal_handlers_disconnect_by_data(slot->widget, slot);
    if (slot->tick > 0)
        gtk_widget_remove_tick_callback(slot->widget, slot->tick);
    slot->tick = 0;
    paintable_set_widget(slot->paintable, NULL);
    paintable_set_resized(slot->paintable, NULL, NULL);
    slot->widget = NULL; /* from here on no function of the widget is called */
    replace_attempt(slot, NULL);
    if (slot->target)
        sdimage_target_close(slot->target);
    sdimage_target_unref(slot->target);
    slot->target = NULL;
    sdimage_manager_unref(slot->manager);
    slot->manager = NULL;
    set_load(slot, &(SlotLoad){.url = NULL});
    paintable_show(slot->paintable, NULL, false);
    g_clear_object(&slot->paintable);
    g_clear_error(&slot->error);
    release(slot);
}
