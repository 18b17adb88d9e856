/* factory.c: SdimageListItemFactory: loads of the items in view, their priorities, and prefetching.
 *
 * A list binds many more items than it shows. Which are in view is known after the layout of a frame: the loads of
 * those begin then, before the frame is drawn, so that images in memory are in it.
 *
 * GTK does not declare the structure of GtkSignalListItemFactory: its size is asked for, and the factory's own values
 * are private data of the type. */
#include "context.h"
#include "picture.h"

/* Frames after which a list without visible items is not asked again. */
enum { PREFETCH = 24, FRAMES_UNTIL_ALLOCATED = 3 };

typedef struct Factory {
    char *property, *blurhash_property;
    int width, height;
    guint prefetch;
    sdimage_request *request;
    GPtrArray *bound;              /* elements are GtkListItem, borrowed until unbound */
    GtkWidget *view;               /* weak: the list, known from the first binding on */
    GtkAdjustment *adjustments[2]; /* weak: those of the list */
    GListModel *model;             /* weak: that of the list */
    GdkFrameClock *clock;          /* weak: that of the list while it is realized */
    bool is_outdated;              /* the next layout is followed by an update */
    guint tick;                    /* callback of the next frame; 0: none */
    int unseen;                    /* updates in a row without a visible item: nothing is allocated yet */
    guint first, last;             /* positions in view at the last update */
    bool is_passing;               /* no item of the update before it was in view in that one */
    bool is_backward;              /* direction of scrolling */
    guint start, count;            /* range that is prefetched */
    bool is_changed;               /* other items may be in that range */
    sdimage_prefetcher *prefetcher;
    sdimage_prefetch_group *group;
} Factory;

static int private_offset;
static gpointer parent_class;

static Factory *of(gpointer factory) {
    return G_STRUCT_MEMBER_P(factory, private_offset);
}

static GQuark picture_quark(void) {
    return g_quark_from_static_string("sdimage-picture");
}

SdimagePicture *sdimage_list_item_get_picture(GtkListItem *item) {
    g_return_val_if_fail(GTK_IS_LIST_ITEM(item), NULL);
    return g_object_get_qdata(G_OBJECT(item), picture_quark());
}

/* --- Prefetching. */

static void cancel_prefetch(Factory *self) {
    if (self->group)
        sdimage_prefetch_group_cancel(self->group);
    sdimage_prefetch_group_unref(self->group);
    self->group = NULL;
    self->count = 0;
}

static char *text_of(gpointer item, const char *property) {
    char *text = NULL;
    if (property)
        g_object_get(item, property, &text, NULL);
    return text;
}

static GListModel *model_of(GtkWidget *view) {
    return G_LIST_MODEL(GTK_IS_GRID_VIEW(view) ? gtk_grid_view_get_model(GTK_GRID_VIEW(view))
                                               : gtk_list_view_get_model(GTK_LIST_VIEW(view)));
}

/* Starts loads of the items of the range with the keys of the pictures that show them later; the nearest one first. */
static void start_prefetch(Factory *self, GListModel *model, SdimagePicture *like) {
    int scale = gtk_widget_get_scale_factor(self->view);
    int width = gtk_widget_get_width(GTK_WIDGET(like)), height = gtk_widget_get_height(GTK_WIDGET(like));
    GPtrArray *urls = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < self->count; i++) {
        gpointer item =
            g_list_model_get_item(model, self->is_backward ? self->start + self->count - 1 - i : self->start + i);
        char *url = item ? text_of(item, self->property) : NULL;
        if (url)
            g_ptr_array_add(urls, url);
        g_clear_object(&item);
    }
    if (!self->prefetcher) {
        sdimage_manager *manager = sdimage_gtk_get_manager(NULL);
        (void)sdimage_prefetcher_new(manager, main_dispatcher(), &self->prefetcher, NULL); /* refused without memory */
        sdimage_manager_unref(manager);
    }
    SlotLoad load = {.request = self->request};
    GtkContentFit fit;
    g_object_get(like, "content-fit", &fit, NULL);
    sdimage_request *request = slot_request(&load, fit, (uint32_t)(width * scale), (uint32_t)(height * scale));
    sdimage_request_set_priority(request, SDIMAGE_PRIORITY_LOW);
    (void)sdimage_prefetcher_start(self->prefetcher, (const char *const *)urls->pdata, NULL, urls->len, request, NULL,
                                   NULL, NULL, &self->group, NULL);
    sdimage_request_unref(request);
    g_ptr_array_unref(urls);
}

/* Prefetches the items beyond those in view in the direction of scrolling. */
static void update_prefetch(Factory *self, SdimagePicture *like) {
    guint items = self->model ? g_list_model_get_n_items(self->model) : 0, start = self->last + 1, count;
    if (self->is_backward) {
        count = MIN(self->prefetch, self->first);
        start = self->first - count;
    } else {
        count = start < items ? MIN(self->prefetch, items - start) : 0;
    }
    if (start == self->start && count == self->count && !self->is_changed)
        return;
    cancel_prefetch(self);
    self->start = start;
    self->count = count;
    self->is_changed = false;
    if (count > 0)
        start_prefetch(self, self->model, like);
}

static void queue_update(gpointer factory);

static void on_items_changed(gpointer factory, guint position) {
    Factory *self = of(factory);
    self->is_changed = self->is_changed || position < self->start + self->count;
    queue_update(factory);
}

static void watch_model(gpointer factory) {
    Factory *self = of(factory);
    GListModel *model = self->view ? model_of(self->view) : NULL;
    if (model == self->model)
        return;
    if (self->model)
        g_signal_handlers_disconnect_by_func(self->model, on_items_changed, factory);
    g_set_weak_pointer(&self->model, model);
    self->is_changed = true;
    if (model)
        g_signal_connect_object(model, "items-changed", G_CALLBACK(on_items_changed), factory, G_CONNECT_SWAPPED);
}

/* --- Items in view. */

/* A list unmaps items out of view, and leaves them at their former place. */
static bool is_shown(const Factory *self, SdimagePicture *picture) {
    if (!gtk_widget_get_mapped(GTK_WIDGET(picture)))
        return false;
    graphene_rect_t bounds, view = GRAPHENE_RECT_INIT(0, 0, (float)gtk_widget_get_width(self->view),
                                                      (float)gtk_widget_get_height(self->view));
    return gtk_widget_compute_bounds(GTK_WIDGET(picture), self->view, &bounds) && bounds.size.width > 0 &&
           bounds.size.height > 0 && graphene_rect_intersection(&bounds, &view, NULL);
}

static Slot *slot_of(GtkListItem *item) {
    SdimagePicture *picture = sdimage_list_item_get_picture(item);
    return picture ? picture_slot(picture) : NULL;
}

static int compare_positions(gconstpointer left, gconstpointer right) {
    guint a = gtk_list_item_get_position(*(GtkListItem *const *)left);
    guint b = gtk_list_item_get_position(*(GtkListItem *const *)right);
    return a < b ? -1 : a > b;
}

/* Adds references of the bound items in view to `shown`, in the order of the list, and of the others to `hidden`. */
static void find_items(Factory *self, GPtrArray *shown, GPtrArray *hidden) {
    for (guint i = 0; i < self->bound->len; i++) {
        GtkListItem *item = g_ptr_array_index(self->bound, i);
        SdimagePicture *picture = sdimage_list_item_get_picture(item);
        /* A picture in the button of a GtkDropDown is outside the list. */
        if (!picture || !picture_slot(picture) || gtk_list_item_get_position(item) == GTK_INVALID_LIST_POSITION ||
            !gtk_widget_is_ancestor(GTK_WIDGET(picture), self->view))
            continue;
        g_ptr_array_add(is_shown(self, picture) ? shown : hidden, g_object_ref(item));
    }
    g_ptr_array_sort(shown, compare_positions);
}

/* Cancels the loads of items that have left the view, but not of those next to it, which precede prefetched ones. */
static void postpone(Factory *self, GPtrArray *hidden) {
    guint first = self->first - MIN(self->prefetch, self->first), last = self->last + MIN(self->prefetch, G_MAXINT);
    for (guint i = 0; i < hidden->len; i++) {
        GtkListItem *item = g_ptr_array_index(hidden, i);
        guint position = gtk_list_item_get_position(item);
        Slot *slot = slot_of(item); /* NULL: a handler of the program has removed it */
        if (!slot)
            continue;
        slot_set_priority(slot, SDIMAGE_PRIORITY_NORMAL);
        if (position < first || position > last)
            slot_set_held(slot, true);
    }
}

static void queue_update_of_next_frame(gpointer factory);

/* Starts the loads of the items in view. */
static void resume(GPtrArray *shown) {
    for (guint i = 0; i < shown->len; i++) {
        Slot *slot = slot_of(g_ptr_array_index(shown, i));
        if (!slot)
            continue;
        slot_set_priority(slot, SDIMAGE_PRIORITY_HIGH);
        slot_set_held(slot, false);
    }
}

/* Handlers of the program run here. */
static void update_items(gpointer factory, GPtrArray *shown, GPtrArray *hidden) {
    Factory *self = of(factory);
    guint first = gtk_list_item_get_position(g_ptr_array_index(shown, 0));
    guint last = gtk_list_item_get_position(g_ptr_array_index(shown, shown->len - 1));
    bool stands = first == self->first && last == self->last;
    /* Each item is in view for one frame: from the second such frame on, nothing is loaded. The first may be a jump. */
    bool was_passing = self->is_passing;
    self->is_passing = first > self->last || last < self->first;
    if (!stands)
        self->is_backward = first < self->first;
    if (self->is_passing)
        cancel_prefetch(self);
    self->first = first;
    self->last = last;
    postpone(self, hidden);
    if (!was_passing || !self->is_passing)
        resume(shown);
    SdimagePicture *like = sdimage_list_item_get_picture(g_ptr_array_index(shown, 0));
    if (!stands)
        queue_update_of_next_frame(factory);
    else if (like && self->view)
        update_prefetch(self, like);
}

/* Starts and cancels loads; prefetches when the list stands still. */
static void update(gpointer factory) {
    Factory *self = of(factory);
    GPtrArray *shown = g_ptr_array_new_with_free_func(g_object_unref);
    GPtrArray *hidden = g_ptr_array_new_with_free_func(g_object_unref);
    watch_model(factory);
    find_items(self, shown, hidden);
    self->unseen = shown->len > 0 ? 0 : self->unseen + 1;
    if (shown->len > 0)
        update_items(factory, shown, hidden);
    else if (self->unseen < FRAMES_UNTIL_ALLOCATED)
        queue_update_of_next_frame(factory);
    g_ptr_array_unref(shown);
    g_ptr_array_unref(hidden);
}

static void on_layout(gpointer factory) {
    if (!of(factory)->is_outdated || !of(factory)->view)
        return;
    of(factory)->is_outdated = false;
    g_object_ref(factory);
    update(factory);
    g_object_unref(factory);
}

/* Updates after the layout of this frame, or of the next one if it is over. */
static void queue_update(gpointer factory) {
    Factory *self = of(factory);
    self->is_outdated = true;
    if (self->clock)
        gdk_frame_clock_request_phase(self->clock, GDK_FRAME_CLOCK_PHASE_LAYOUT);
}

static gboolean on_tick(GtkWidget *view, GdkFrameClock *clock, gpointer factory) {
    (void)view, (void)clock;
    of(factory)->tick = 0;
    queue_update(factory);
    return G_SOURCE_REMOVE;
}

static void queue_update_of_next_frame(gpointer factory) {
    Factory *self = of(factory);
    if (self->tick == 0 && self->view)
        self->tick = gtk_widget_add_tick_callback(self->view, on_tick, g_object_ref(factory), g_object_unref);
}

static void watch(gpointer factory, int index, GtkAdjustment *adjustment) {
    Factory *self = of(factory);
    if (self->adjustments[index] == adjustment)
        return;
    if (self->adjustments[index])
        g_signal_handlers_disconnect_by_func(self->adjustments[index], queue_update, factory);
    g_set_weak_pointer(&self->adjustments[index], adjustment);
    if (!adjustment)
        return;
    g_signal_connect_object(adjustment, "value-changed", G_CALLBACK(queue_update), factory, G_CONNECT_SWAPPED);
    g_signal_connect_object(adjustment, "changed", G_CALLBACK(queue_update), factory, G_CONNECT_SWAPPED);
}

/* After GTK's own handler, which allocates the widgets. */
static void watch_clock(gpointer factory) {
    Factory *self = of(factory);
    GdkFrameClock *clock =
        self->view && gtk_widget_get_realized(self->view) ? gtk_widget_get_frame_clock(self->view) : NULL;
    if (clock == self->clock)
        return;
    if (self->clock)
        g_signal_handlers_disconnect_by_func(self->clock, on_layout, factory);
    g_set_weak_pointer(&self->clock, clock);
    if (!clock)
        return;
    g_signal_connect_object(clock, "layout", G_CALLBACK(on_layout), factory, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
    queue_update(factory);
}

/* Items that were bound while the list was hidden have not been loaded. */
static void on_map(gpointer factory) {
    of(factory)->unseen = 0;
    queue_update_of_next_frame(factory);
}

static void watch_view(gpointer factory, GtkWidget *view) {
    Factory *self = of(factory);
    if (view == self->view)
        return;
    if (self->view) {
        g_signal_handlers_disconnect_by_func(self->view, watch_clock, factory);
        g_signal_handlers_disconnect_by_func(self->view, on_map, factory);
        if (self->tick > 0)
            gtk_widget_remove_tick_callback(self->view, self->tick);
    }
    self->tick = 0; /* GTK has removed the callback of a list that is gone */
    self->is_passing = false;
    g_set_weak_pointer(&self->view, view);
    watch_model(factory);
    watch_clock(factory);
    if (!view)
        return;
    g_signal_connect_object(view, "realize", G_CALLBACK(watch_clock), factory, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
    g_signal_connect_object(view, "unrealize", G_CALLBACK(watch_clock), factory, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
    g_signal_connect_object(view, "map", G_CALLBACK(on_map), factory, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}

/* Finds the list of a picture; false for pictures elsewhere, such as in the button of a GtkDropDown. */
static bool find_view(gpointer factory, GtkWidget *picture) {
    GtkWidget *view = gtk_widget_get_ancestor(picture, GTK_TYPE_GRID_VIEW);
    view = view ? view : gtk_widget_get_ancestor(picture, GTK_TYPE_LIST_VIEW);
    if (!view)
        return false;
    watch_view(factory, view);
    watch(factory, 0, gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(view)));
    watch(factory, 1, gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(view)));
    return true;
}

/* --- Items. */

static void on_setup(gpointer factory, GtkListItem *item) {
    Factory *self = of(factory);
    SdimagePicture *picture = g_object_ref_sink(g_object_new(
        SDIMAGE_TYPE_PICTURE, "content-fit", GTK_CONTENT_FIT_COVER, "width-request", self->width > 0 ? self->width : -1,
        "height-request", self->height > 0 ? self->height : -1, "request", self->request, NULL));
    if (self->width > 0 && self->height > 0)
        picture_fix_size(picture);
    g_object_set_qdata_full(G_OBJECT(item), picture_quark(), picture, g_object_unref);
    gtk_list_item_set_child(item, GTK_WIDGET(picture));
}

static void on_bind(gpointer factory, GtkListItem *item) {
    Factory *self = of(factory);
    SdimagePicture *picture = sdimage_list_item_get_picture(item);
    if (!picture)
        return;
    char *url = text_of(gtk_list_item_get_item(item), self->property);
    char *blurhash = text_of(gtk_list_item_get_item(item), self->blurhash_property);
    g_ptr_array_add(self->bound, item);
    if (picture_slot(picture))
        slot_set_held(picture_slot(picture), find_view(factory, GTK_WIDGET(picture)));
    if (self->blurhash_property)
        g_object_set(picture, "blurhash", blurhash, NULL); /* before the URL: loads nothing yet */
    sdimage_picture_set_url(picture, url);
    queue_update(factory);
    g_free(url);
    g_free(blurhash);
}

static void on_unbind(gpointer factory, GtkListItem *item) {
    SdimagePicture *picture = sdimage_list_item_get_picture(item);
    g_ptr_array_remove_fast(of(factory)->bound, item);
    if (picture)
        sdimage_picture_set_url(picture, NULL);
}

static void on_teardown(gpointer factory, GtkListItem *item) {
    (void)factory;
    g_object_set_qdata(G_OBJECT(item), picture_quark(), NULL);
}

/* --- The type. */

static void dispose(GObject *object) {
    Factory *self = of(object);
    cancel_prefetch(self);
    sdimage_prefetcher_unref(self->prefetcher);
    self->prefetcher = NULL;
    watch(object, 0, NULL);
    watch(object, 1, NULL);
    watch_view(object, NULL);
    G_OBJECT_CLASS(parent_class)->dispose(object);
}

static void finalize(GObject *object) {
    Factory *self = of(object);
    g_free(self->property);
    g_free(self->blurhash_property);
    g_ptr_array_unref(self->bound);
    sdimage_request_unref(self->request);
    G_OBJECT_CLASS(parent_class)->finalize(object);
}

static void initialize_class(gpointer class, gpointer data) {
    (void)data;
    g_type_class_adjust_private_offset(class, &private_offset);
    parent_class = g_type_class_peek_parent(class);
    G_OBJECT_CLASS(class)->dispose = dispose;
    G_OBJECT_CLASS(class)->finalize = finalize;
}

static void initialize(GTypeInstance *instance, gpointer class) {
    (void)class;
    Factory *self = of(instance);
    self->prefetch = PREFETCH;
    self->bound = g_ptr_array_new();
    g_signal_connect(instance, "setup", G_CALLBACK(on_setup), NULL);
    g_signal_connect(instance, "bind", G_CALLBACK(on_bind), NULL);
    g_signal_connect(instance, "unbind", G_CALLBACK(on_unbind), NULL);
    g_signal_connect(instance, "teardown", G_CALLBACK(on_teardown), NULL);
}

GType sdimage_list_item_factory_get_type(void) {
    static gsize type;
    if (g_once_init_enter(&type)) {
        GTypeQuery parent;
        g_type_query(GTK_TYPE_SIGNAL_LIST_ITEM_FACTORY, &parent);
        GType made = g_type_register_static_simple(GTK_TYPE_SIGNAL_LIST_ITEM_FACTORY, "SdimageListItemFactory",
                                                   parent.class_size, initialize_class, parent.instance_size,
                                                   initialize, G_TYPE_FLAG_FINAL);
        private_offset = g_type_add_instance_private(made, sizeof(Factory));
        g_once_init_leave(&type, made);
    }
    return type;
}

GtkListItemFactory *sdimage_list_item_factory_new(const char *property, int width, int height) {
    gpointer factory = g_object_new(SDIMAGE_TYPE_LIST_ITEM_FACTORY, NULL);
    Factory *self = of(factory);
    self->property = g_strdup(property ? property : "string");
    self->width = MAX(width, 0);
    self->height = MAX(height, 0);
    return GTK_LIST_ITEM_FACTORY(factory);
}

static bool is_factory(gpointer factory) {
    return G_TYPE_CHECK_INSTANCE_TYPE(factory, SDIMAGE_TYPE_LIST_ITEM_FACTORY);
}

void sdimage_list_item_factory_set_prefetch(SdimageListItemFactory *factory, guint count) {
    g_return_if_fail(is_factory(factory));
    of(factory)->prefetch = count;
    queue_update(factory);
}

guint sdimage_list_item_factory_get_prefetch(SdimageListItemFactory *factory) {
    g_return_val_if_fail(is_factory(factory), 0);
    return of(factory)->prefetch;
}

void sdimage_list_item_factory_set_request(SdimageListItemFactory *factory, const SdimageRequest *request) {
    g_return_if_fail(is_factory(factory));
    sdimage_request *copy = request ? sdimage_request_copy(request) : NULL;
    sdimage_request_unref(of(factory)->request);
    of(factory)->request = copy;
}

void sdimage_list_item_factory_set_blurhash_property(SdimageListItemFactory *factory, const char *property) {
    g_return_if_fail(is_factory(factory));
    g_free(of(factory)->blurhash_property);
    of(factory)->blurhash_property = g_strdup(property);
}

const char *sdimage_list_item_factory_get_blurhash_property(SdimageListItemFactory *factory) {
    g_return_val_if_fail(is_factory(factory), NULL);
    return of(factory)->blurhash_property;
}
