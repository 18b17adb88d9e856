/* grid.c: flings of 10,000 images through a grid that shows 60 of them.
 *
 *   grid [--late-frames]
 *
 * With the option, measures how many frames of a fling are late instead: it needs an idle machine. */
#include "display.h"

enum { ITEMS = 10000, COLUMNS = 10, ROWS = 6, SIDE = 60, FLING_FRAMES = 90, PREFETCHED_AT_ONCE = 3, FLINGS = 20 };

/* Growth of the resident memory that is no leak: caches of GTK, the library and the allocator. */
enum { LARGEST_GROWTH_MB = 48 };

static GPtrArray *bound; /* the GtkListItem that are bound */
static sdimage_manager *manager;
static GtkWidget *window, *grid;
static GtkAdjustment *adjustment;

static void set_up(GtkListItemFactory *factory, GtkListItem *item) {
    (void)factory;
    g_object_set(sdimage_list_item_get_picture(item), "transition", 0, NULL); /* no mixed colours */
}

static void bind(GtkListItemFactory *factory, GtkListItem *item) {
    (void)factory;
    g_ptr_array_add(bound, item);
}

static void unbind(GtkListItemFactory *factory, GtkListItem *item) {
    (void)factory;
    g_ptr_array_remove(bound, item);
}

static void open_grid(guint prefetch) {
    GtkStringList *urls = gtk_string_list_new(NULL);
    for (int i = 0; i < ITEMS; i++) {
        char *url = g_strdup_printf("slow:%d", i);
        gtk_string_list_take(urls, url);
    }
    GtkListItemFactory *factory = sdimage_list_item_factory_new(NULL, SIDE, SIDE);
    sdimage_list_item_factory_set_prefetch(SDIMAGE_LIST_ITEM_FACTORY(factory), prefetch);
    g_signal_connect(factory, "setup", G_CALLBACK(set_up), NULL);
    g_signal_connect(factory, "bind", G_CALLBACK(bind), NULL);
    g_signal_connect(factory, "unbind", G_CALLBACK(unbind), NULL);
    bound = g_ptr_array_new();
    grid = gtk_grid_view_new(GTK_SELECTION_MODEL(gtk_no_selection_new(G_LIST_MODEL(urls))), factory);
    gtk_grid_view_set_min_columns(GTK_GRID_VIEW(grid), COLUMNS);
    gtk_grid_view_set_max_columns(GTK_GRID_VIEW(grid), COLUMNS);
    GtkWidget *scroller = gtk_scrolled_window_new();
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), grid);
    GtkCssProvider *style = gtk_css_provider_new();
    gtk_css_provider_load_from_data(
        style, "gridview { background: none; } gridview > child { padding: 0; margin: 0; border: none; }", -1);
    gtk_style_context_add_provider_for_display(gdk_display_get_default(), GTK_STYLE_PROVIDER(style), 1000);
    window = new_window(scroller, COLUMNS * SIDE, ROWS * SIDE);
    adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller));
    manager = sdimage_gtk_get_manager(NULL);
    UNTIL(bound->len >= COLUMNS * ROWS);
}

static SdimagePicture *picture_at(guint index) {
    return sdimage_list_item_get_picture(g_ptr_array_index(bound, index));
}

static bool find_place(SdimagePicture *picture, int *x, int *y) {
    graphene_rect_t bounds;
    if (!gtk_widget_get_mapped(GTK_WIDGET(picture)) || !gtk_widget_compute_bounds(GTK_WIDGET(picture), grid, &bounds))
        return false;
    *x = (int)(bounds.origin.x + bounds.size.width / 2);
    *y = (int)(bounds.origin.y + bounds.size.height / 2);
    return *x >= 0 && *y >= 0 && *x < gtk_widget_get_width(grid) && *y < gtk_widget_get_height(grid);
}

/* Compares every cell in view with its URL: it shows its own image or, unless it has to be complete, nothing. */
static void check_drawn_cells(void *user_data) {
    bool is_complete = *(bool *)user_data;
    GdkTexture *texture = drawn(grid);
    CHECK(texture || !is_complete);
    if (!texture)
        return; /* all cells are empty */
    int width = gdk_texture_get_width(texture), height = gdk_texture_get_height(texture), x, y, seen = 0;
    int scale = gtk_widget_get_scale_factor(grid);
    guint32 *pixels = malloc((size_t)width * (size_t)height * 4);
    gdk_texture_download(texture, (guchar *)pixels, (gsize)width * 4);
    g_object_unref(texture);
    for (guint i = 0; i < bound->len; i++) {
        const char *url = sdimage_picture_get_url(picture_at(i));
        if (!find_place(picture_at(i), &x, &y))
            continue;
        seen++;
        guint32 pixel = pixels[y * scale * width + x * scale];
        bool is_empty = pixel >> 24 == 0;
        if (is_empty ? is_complete : (pixel & 0xffffff) != colour_of(atoi(url + 5)))
            fail_test(__FILE__, __LINE__, "%s shows %08x, not %06x", url, pixel, colour_of(atoi(url + 5)));
    }
    if (is_complete)
        CHECK(seen >= COLUMNS * (ROWS - 1));
    free(pixels);
}

static void check_cells(bool is_complete) {
    after_frame(grid, check_drawn_cells, &is_complete);
}

static bool all_are_ready(void) {
    int x, y;
    for (guint i = 0; i < bound->len; i++)
        if (find_place(picture_at(i), &x, &y) && sdimage_picture_get_state(picture_at(i)) != SDIMAGE_STATE_READY)
            return false;
    return true;
}

typedef struct Fling {
    double from, to;
    int frame;
    gint64 previous;
    int late;
    bool is_checked;
} Fling;

/* One frame of a fling: slower towards its end. */
static gboolean step(GtkWidget *widget, GdkFrameClock *clock, gpointer user_data) {
    (void)widget;
    Fling *fling = user_data;
    double t = (double)++fling->frame / FLING_FRAMES, eased = 1 - (1 - t) * (1 - t);
    gint64 now = gdk_frame_clock_get_frame_time(clock);
    fling->late += fling->previous > 0 && now - fling->previous > 25000; /* one and a half frames at 60 Hz */
    fling->previous = now;
    gtk_adjustment_set_value(adjustment, fling->from + (fling->to - fling->from) * eased);
    return fling->frame < FLING_FRAMES ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static int fling(bool is_down, bool is_checked) {
    double end = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment);
    Fling fling = {.from = is_down ? 0 : end, .to = is_down ? end : 0};
    gtk_widget_add_tick_callback(grid, step, &fling, NULL);
    for (int seen = 0; fling.frame < FLING_FRAMES;) {
        run_once();
        if (!is_checked || fling.frame == seen)
            continue;
        seen = fling.frame;
        CHECK_AT_MOST(sdimage_manager_running_count(manager), bound->len + PREFETCHED_AT_ONCE);
        check_cells(false);
    }
    return fling.late;
}

static void a_fling_shows_each_image_in_its_own_cell(void) {
    start_display();
    open_grid(24);
    UNTIL(all_are_ready());
    for (int i = 0; i < 2; i++) {
        fling(i == 0, true);
        UNTIL(all_are_ready());
        run_frames(grid, 2);
        check_cells(true);
    }
    CHECK(started_loads() >= COLUMNS * ROWS * 3);
    keep_screenshot(window, "grid");
}

static long resident_megabytes(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%*d %ld", &pages) == 1);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE) >> 20;
}

static void memory_is_flat_over_many_flings(void) {
    start_display();
    open_grid(24);
    long before = 0, pixels = 0;
    guint cells = 0;
    for (int i = 0; i < FLINGS; i++) {
        fling(i % 2 == 0, false);
        UNTIL(all_are_ready() && sdimage_manager_running_count(manager) == 0 && queued_loads() == 0);
        if (i != FLINGS / 4)
            continue;
        before = resident_megabytes();
        pixels = live_pixel_bytes();
        cells = bound->len;
    }
    CHECK_AT_MOST(resident_megabytes(), before + LARGEST_GROWTH_MB);
    CHECK_AT_MOST(live_pixel_bytes(), pixels + (8 << 20));
    CHECK_AT_MOST(bound->len, cells * 2);
}

static void the_next_items_are_prefetched(void) {
    setenv("GDK_SCALE", "1", 1);
    start_display();
    open_grid(40);
    UNTIL(all_are_ready());
    UNTIL(started_loads() >= (int)bound->len + 40 && sdimage_manager_running_count(manager) == 0);
    guint last = 0;
    for (guint i = 0; i < bound->len; i++)
        last = MAX(last, gtk_list_item_get_position(g_ptr_array_index(bound, i)));
    for (guint i = last + 1; i <= last + 40; i++) {
        sdimage_result *result = NULL;
        char *url = g_strdup_printf("slow:%u", i);
        sdimage_request *request = sdimage_request_new(url); /* as a picture of the grid would ask */
        sdimage_request_set_thumbnail_size(request, 64, 64, SDIMAGE_SCALE_MODE_ASPECT_FILL);
        sdimage_request_set_pixel_format(request, SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED);
        CHECK_EQUAL(sdimage_manager_find(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
        CHECK(result != NULL);
        sdimage_result_unref(result);
        sdimage_request_unref(request);
        g_free(url);
    }
}

static void a_list_ends_during_a_fling(void) {
    start_display();
    open_grid(24);
    Fling moving = {.to = gtk_adjustment_get_upper(adjustment)};
    gtk_widget_add_tick_callback(grid, step, &moving, NULL);
    UNTIL(moving.frame > 20);
    gtk_window_destroy(GTK_WINDOW(window));
    UNTIL(sdimage_manager_running_count(manager) == 0);
    CHECK_EQUAL(bound->len, 0);
}

static int measure_late_frames(void) {
    start_display();
    open_grid(24);
    UNTIL(all_are_ready());
    int late = 0, flings = 10;
    for (int i = 0; i < flings; i++)
        late += fling(i % 2 == 0, false);
    printf("%d of %d frames are late: %.2f %%\n", late, flings * FLING_FRAMES, 100.0 * late / (flings * FLING_FRAMES));
    return 0;
}

int main(int argc, char **argv) {
    static const test tests[] = {
        TEST(a_fling_shows_each_image_in_its_own_cell),
        TEST(memory_is_flat_over_many_flings),
        TEST(the_next_items_are_prefetched),
        TEST(a_list_ends_during_a_fling),
    };
    if (argc > 1 && strcmp(argv[1], "--late-frames") == 0)
        return measure_late_frames();
    return run_tests(tests, G_N_ELEMENTS(tests));
}
