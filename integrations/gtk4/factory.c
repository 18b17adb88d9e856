/* factory.c: SdimageListItemFactory: loads of the items that are bound, their priorities, and prefetching.
 *
 * GTK does not declare the structure of GtkSignalListItemFactory: its size is asked for, and the factory's own values
 * are private data of the type. */
#include "private.h"

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
    bool has_tick;
    int unseen;         /* updates in a row without a visible item: nothing is allocated yet */
    guint first, last;  /* positions in view at the last update */
    bool is_backward;   /* direction of scrolling */
    guint start, count; /* range that is prefetched */
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

/* Starts loads of the items of the range with the keys of the pictures that show them later. */
static void start_prefetch(Factory *self, GListModel *model, SdimagePicture *like) {
    int scale = gtk_widget_get_scale_factor(self->view);
    int width = self->width > 0 ? self->width : gtk_widget_get_width(GTK_WIDGET(like));
    int height = self->height > 0 ? self->height : gtk_widget_get_height(GTK_WIDGET(like));
    GPtrArray *urls = g_ptr_array_new_with_free_func(g_free);
    for (guint i = self->start; i < self->start + self->count; i++) {
        gpointer item = g_list_model_get_item(model, i);
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

/* Prefetches the items beyond the bound ones in the direction of scrolling. */
static void update_prefetch(Factory *self, guint first_bound, guint last_bound, SdimagePicture *like) {
    GListModel *model = model_of(self->view);
    guint items = model ? g_list_model_get_n_items(model) : 0, start = last_bound + 1, count;
    if (self->is_backward) {
        count = MIN(self->prefetch, first_bound);
        start = first_bound - count;
    } else {
        count = start < items ? MIN(self->prefetch, items - start) : 0;
    }
    if (start == self->start && count == self->count)
        return;
    cancel_prefetch(self);
    self->start = start;
    self->count = count;
    if (count > 0)
        start_prefetch(self, model, like);
}

/* --- Priorities. */

/* Returns the distance of a picture from the viewport of the list in multiples of its size; 0 for a visible one. */
static double distance(const Factory *self, SdimagePicture *picture) {
    graphene_rect_t bounds;
    float width = (float)gtk_widget_get_width(self->view), height = (float)gtk_widget_get_height(self->view);
    if (width <= 0 || height <= 0 || !gtk_widget_compute_bounds(GTK_WIDGET(picture), self->view, &bounds))
        return G_MAXDOUBLE;
    float x = MAX(bounds.origin.x - width, -bounds.origin.x - bounds.size.width) / width;
    float y = MAX(bounds.origin.y - height, -bounds.origin.y - bounds.size.height) / height;
    return MAX(0, MAX(x, y));
}

static void queue_update(gpointer factory);

/* Sets the priorities of all bound items; those of the next frame again until the list stands still. */
static void update(gpointer factory) {
    Factory *self = of(factory);
    guint first = G_MAXUINT, last = 0, first_bound = G_MAXUINT, last_bound = 0;
    SdimagePicture *seen = NULL;
    for (guint i = 0; i < self->bound->len; i++) {
        GtkListItem *item = g_ptr_array_index(self->bound, i);
        SdimagePicture *picture = sdimage_list_item_get_picture(item);
        Slot *slot = picture ? picture_slot(picture) : NULL;
        guint position = gtk_list_item_get_position(item);
        if (!slot || position == GTK_INVALID_LIST_POSITION)
            continue;
        double away = distance(self, picture);
        slot_set_priority(slot, away <= 0   ? SDIMAGE_PRIORITY_HIGH
                                : away <= 1 ? SDIMAGE_PRIORITY_NORMAL
                                            : SDIMAGE_PRIORITY_LOW);
        first_bound = MIN(first_bound, position);
        last_bound = MAX(last_bound, position);
        if (away > 0)
            continue;
        first = MIN(first, position);
        last = MAX(last, position);
        seen = picture;
    }
    self->unseen = seen ? 0 : self->unseen + 1;
    if (!seen && self->unseen < FRAMES_UNTIL_ALLOCATED)
        queue_update(factory);
    if (!seen)
        return;
    bool stands = first == self->first && last == self->last;
    if (!stands)
        self->is_backward = first < self->first;
    self->first = first;
    self->last = last;
    if (stands)
        update_prefetch(self, first_bound, last_bound, seen);
    else
        queue_update(factory);
}

static gboolean on_tick(GtkWidget *view, GdkFrameClock *clock, gpointer factory) {
    (void)view, (void)clock;
    of(factory)->has_tick = false;
    update(factory);
    return G_SOURCE_REMOVE;
}

static void queue_update(gpointer factory) {
    Factory *self = of(factory);
    if (self->has_tick || !self->view)
        return;
    self->has_tick = true;
    gtk_widget_add_tick_callback(self->view, on_tick, g_object_ref(factory), g_object_unref);
}

static void watch(gpointer factory, int index, GtkAdjustment *adjustment) {
    Factory *self = of(factory);
    if (self->adjustments[index] == adjustment)
        return;
    if (self->adjustments[index])
        g_signal_handlers_disconnect_by_func(self->adjustments[index], queue_update, factory);
    g_set_weak_pointer(&self->adjustments[index], adjustment);
    if (adjustment)
        g_signal_connect_object(adjustment, "value-changed", G_CALLBACK(queue_update), factory, G_CONNECT_SWAPPED);
}

/* Finds the list of a picture. */
static void find_view(gpointer factory, GtkWidget *picture) {
    Factory *self = of(factory);
    GtkWidget *view = gtk_widget_get_ancestor(picture, GTK_TYPE_GRID_VIEW);
    view = view ? view : gtk_widget_get_ancestor(picture, GTK_TYPE_LIST_VIEW);
    if (view != self->view)
        self->has_tick = false; /* the callback of another list does not run any more */
    g_set_weak_pointer(&self->view, view);
    watch(factory, 0, view ? gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(view)) : NULL);
    watch(factory, 1, view ? gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(view)) : NULL);
}

/* --- Items. */

static void on_setup(gpointer factory, GtkListItem *item) {
    Factory *self = of(factory);
    SdimagePicture *picture = g_object_ref_sink(g_object_new(
        SDIMAGE_TYPE_PICTURE, "content-fit", GTK_CONTENT_FIT_COVER, "width-request", self->width > 0 ? self->width : -1,
        "height-request", self->height > 0 ? self->height : -1, "request", self->request, NULL));
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
    find_view(factory, GTK_WIDGET(picture));
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
    g_clear_weak_pointer(&self->view);
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

void sdimage_list_item_factory_set_request(SdimageListItemFactory *factory, const sdimage_request *request) {
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
