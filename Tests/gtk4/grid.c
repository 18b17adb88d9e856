/* grid.c: flings of 10,000 images through a grid that shows 60 of them.
 *
 *   grid [--late-frames]
 *
 * With the option, measures late frames and the processor time of the thread of GTK for a frame instead, beside those
 * of the same fling through pictures of GTK that are empty or show one texture. It needs an idle machine. */
#include <time.h>

#include "display.h"

enum { ITEMS = 10000, COLUMNS = 10, ROWS = 6, SIDE = 60, FLING_FRAMES = 90, FLINGS = 20, PREFETCHED = 24 };

/* Growth of memory that is no leak: caches of GTK, the library and the allocator. */
enum { LARGEST_GROWTH_MB = 48 };

static GPtrArray *bound; /* the GtkListItem that are bound */
static sdimage_manager *manager;
static GtkWidget *window, *grid;
static GtkAdjustment *adjustment;
static GtkStringList *urls;

static void set_up(GtkListItemFactory *factory, GtkListItem *item) {
    (void)factory;
    g_object_set(sdimage_list_item_get_picture(item), "transition", 0, NULL); /* no mixed colors */
}

static void bind(GtkListItemFactory *factory, GtkListItem *item) {
    (void)factory;
    g_ptr_array_add(bound, item);
}

static void unbind(GtkListItemFactory *factory, GtkListItem *item) {
    (void)factory;
    g_ptr_array_remove(bound, item);
}

/* Opens a window with the grid, whose items are URLs of a kind. */
static void show_grid(GtkListItemFactory *factory, const char *kind) {
    urls = gtk_string_list_new(NULL);
    for (int i = 0; i < ITEMS; i++) {
        char *url = g_strdup_printf("%s%d", kind, i);
        gtk_string_list_take(urls, url);
    }
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
    UNTIL(bound->len >= COLUMNS * ROWS);
}

static void open_grid_of(const char *kind, guint prefetch) {
    GtkListItemFactory *factory = sdimage_list_item_factory_new(NULL, SIDE, SIDE);
    sdimage_list_item_factory_set_prefetch(SDIMAGE_LIST_ITEM_FACTORY(factory), prefetch);
    g_signal_connect(factory, "setup", G_CALLBACK(set_up), NULL);
    manager = sdimage_gtk_get_manager(NULL);
    show_grid(factory, kind);
}

static void open_grid(guint prefetch) {
    open_grid_of("slow:", prefetch);
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
        if (is_empty ? is_complete : (pixel & 0xffffff) != color_of(atoi(url + 5)))
            fail_test(__FILE__, __LINE__, "%s shows %08x, not %06x", url, pixel, color_of(atoi(url + 5)));
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

static uint32_t most_running;

static int fling(bool is_down, bool is_checked) {
    double end = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment);
    Fling fling = {.from = is_down ? 0 : end, .to = is_down ? end : 0};
    gtk_widget_add_tick_callback(grid, step, &fling, NULL);
    for (int seen = 0; fling.frame < FLING_FRAMES;) {
        run_once();
        if (!is_checked || fling.frame == seen)
            continue;
        seen = fling.frame;
        most_running = MAX(most_running, (uint32_t)sdimage_manager_running_count(manager));
        /* Those in view, a row that is partly in view, and the items next to them in both directions. */
        CHECK_AT_MOST(most_running, COLUMNS * (ROWS + 1) + 2 * PREFETCHED);
        check_cells(false);
    }
    return fling.late;
}

static void a_fling_shows_each_image_in_its_own_cell(void) {
    start_display();
    open_grid(PREFETCHED);
    UNTIL(all_are_ready());
    for (int i = 0; i < 2; i++) {
        fling(i == 0, true);
        gint64 end = g_get_monotonic_time();
        UNTIL(all_are_ready());
        fprintf(stderr, "%.3f s after a fling all cells are shown\n", (double)(g_get_monotonic_time() - end) / 1e6);
        run_frames(grid, 2);
        check_cells(true);
    }
    fprintf(stderr, "at most %u loads were running, %d have started\n", most_running, started_loads());
    CHECK(started_loads() >= COLUMNS * ROWS * 3);
    keep_screenshot(window, "grid");
}

static void memory_is_flat_over_many_flings(void) {
    start_display();
    open_grid(PREFETCHED);
    long pixels = 0;
    guint cells = 0;
    for (int i = 0; i < FLINGS; i++) {
        fling(i % 2 == 0, false);
        UNTIL(all_are_ready() && sdimage_manager_running_count(manager) == 0 && queued_loads() == 0);
        if (i != FLINGS / 4)
            continue;
        pixels = live_pixel_bytes();
        cells = bound->len;
        /* Without memory GTK ends the process. */
        limit_memory(LARGEST_GROWTH_MB << 20);
    }
    CHECK_AT_MOST(live_pixel_bytes(), pixels + (8 << 20));
    CHECK_AT_MOST(bound->len, cells * 2);
}

static guint last_in_view(void) {
    guint last = 0;
    int x, y;
    for (guint i = 0; i < bound->len; i++)
        if (find_place(picture_at(i), &x, &y))
            last = MAX(last, gtk_list_item_get_position(g_ptr_array_index(bound, i)));
    return last;
}

/* The origin responds to one request at a time. The list moves by two rows before the first response: the rows that are
 * in view then precede those that were in view before, and these the rows that are prefetched. */
static void items_in_view_load_before_others(void) {
    start_display();
    char *base = g_strdup_printf("http://127.0.0.1:%d/", start_origin());
    open_grid_of(base, PREFETCHED);
    g_free(base);
    UNTIL(sdimage_manager_running_count(manager) >= COLUMNS * ROWS);
    gtk_adjustment_set_value(adjustment, 2 * SIDE);
    const int first = 2 * COLUMNS, end = first + COLUMNS * ROWS;
    int numbers[ITEMS], count = 0;
    UNTIL((int)sdimage_manager_running_count(manager) >= end && order_of_requests(numbers, 1) == 1);
    open_origin();
    UNTIL((count = order_of_requests(numbers, ITEMS)) >= end + PREFETCHED &&
          sdimage_manager_running_count(manager) == 0);
    int left = COLUMNS * ROWS, former = first;
    for (int i = 0; i < count; i++) {
        bool is_in_view = numbers[i] >= first && numbers[i] < end;
        left -= is_in_view;
        former -= numbers[i] < first;
        /* The first request was sent before the list moved. */
        if (!is_in_view && left > 0 && i > 0)
            fail_test(__FILE__, __LINE__, "item %d is request %d, before %d items in view", numbers[i], i, left);
        if (numbers[i] >= end && former > 0)
            fail_test(__FILE__, __LINE__, "item %d is prefetched before %d loads", numbers[i], former);
    }
    CHECK_EQUAL(left, 0);
}

/* As a picture of the grid asks. */
static bool is_in_memory(guint item) {
    char *url = g_strdup_printf("slow:%u", item);
    sdimage_request *request = sdimage_request_new(url);
    sdimage_result *result = NULL;
    sdimage_request_set_thumbnail_size(request, 64, 64, SDIMAGE_SCALE_MODE_ASPECT_FILL);
    sdimage_request_set_pixel_format(request, SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED);
    CHECK_EQUAL(sdimage_manager_find(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
    sdimage_request_unref(request);
    g_free(url);
    bool is_found = result != NULL;
    sdimage_result_unref(result);
    return is_found;
}

static void the_next_items_are_prefetched(void) {
    setenv("GDK_SCALE", "1", 1);
    start_display();
    open_grid(40);
    UNTIL(all_are_ready());
    guint last = last_in_view();
    UNTIL(started_loads() >= (int)last + 1 + 40 && sdimage_manager_running_count(manager) == 0);
    CHECK_EQUAL(started_loads(), last + 1 + 40);
    for (guint i = last + 1; i <= last + 40; i++)
        CHECK(is_in_memory(i));
}

/* As when a list is sorted: the range that was prefetched contains other items, and those in view are the same. */
static void changed_items_are_prefetched(void) {
    setenv("GDK_SCALE", "1", 1);
    start_display();
    open_grid(PREFETCHED);
    UNTIL(all_are_ready());
    guint last = last_in_view();
    UNTIL(is_in_memory(last + PREFETCHED) && sdimage_manager_running_count(manager) == 0);
    const char *others[PREFETCHED + 1] = {NULL};
    for (guint i = 0; i < PREFETCHED; i++)
        others[i] = g_strdup_printf("slow:%u", ITEMS + i);
    gtk_string_list_splice(urls, last + 1, PREFETCHED, others);
    UNTIL(is_in_memory(ITEMS + PREFETCHED - 1) && sdimage_manager_running_count(manager) == 0);
    for (guint i = 0; i < PREFETCHED; i++) {
        CHECK(is_in_memory(ITEMS + i));
        g_free((char *)others[i]);
    }
}

enum { JUMPS = 30 };

static gboolean jump(GtkWidget *widget, GdkFrameClock *clock, gpointer frame) {
    (void)widget, (void)clock;
    gtk_adjustment_set_value(adjustment, ++*(int *)frame * 3 * ROWS * SIDE);
    return *(int *)frame < JUMPS ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

/* The first frame may be the only jump. */
static void items_that_are_in_view_for_one_frame_are_not_loaded(void) {
    start_display();
    open_grid(0);
    UNTIL(all_are_ready());
    int before = started_loads(), frame = 0;
    gtk_widget_add_tick_callback(grid, jump, &frame, NULL);
    UNTIL(frame == JUMPS);
    CHECK_AT_MOST(started_loads(), before + COLUMNS * (ROWS + 1));
    UNTIL(all_are_ready());
    check_cells(true);
}

static void a_list_ends_during_a_fling(void) {
    start_display();
    open_grid(PREFETCHED);
    Fling moving = {.to = gtk_adjustment_get_upper(adjustment)};
    gtk_widget_add_tick_callback(grid, step, &moving, NULL);
    UNTIL(moving.frame > 20);
    gtk_window_destroy(GTK_WINDOW(window));
    UNTIL(sdimage_manager_running_count(manager) == 0);
    CHECK_EQUAL(bound->len, 0);
}

/* --- Late frames. */

static void set_up_plain(GtkListItemFactory *factory, GtkListItem *item, GdkPaintable *paintable) {
    (void)factory;
    GtkWidget *picture = gtk_picture_new_for_paintable(paintable);
    g_object_set(picture, "width-request", SIDE, "height-request", SIDE, NULL);
    gtk_list_item_set_child(item, picture);
}

static double thread_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

enum { MEASURED_FLINGS = 10 };

static void measure(const char *name) {
    double before = thread_seconds();
    int late = 0, frames = MEASURED_FLINGS * FLING_FRAMES;
    for (int i = 0; i < MEASURED_FLINGS; i++)
        late += fling(i % 2 == 0, false);
    printf("%-12s %5.2f %% of %d frames are late; %.2f ms of the thread for a frame\n", name, 100.0 * late / frames,
           frames, 1000 * (thread_seconds() - before) / frames);
    gtk_window_destroy(GTK_WINDOW(window));
}

static int measure_late_frames(void) {
    start_display();
    guint32 *pixels = g_malloc(64 * 64 * 4);
    memset(pixels, 0x7f, 64 * 64 * 4);
    GBytes *bytes = g_bytes_new_take(pixels, 64 * 64 * 4);
    GdkTexture *texture = gdk_memory_texture_new(64, 64, GDK_MEMORY_DEFAULT, bytes, 64 * 4);
    GtkListItemFactory *empty = gtk_signal_list_item_factory_new(), *plain = gtk_signal_list_item_factory_new();
    g_signal_connect(empty, "setup", G_CALLBACK(set_up_plain), NULL);
    g_signal_connect(plain, "setup", G_CALLBACK(set_up_plain), texture);
    show_grid(empty, "none:");
    measure("empty cells");
    show_grid(plain, "none:");
    measure("one texture");
    open_grid(PREFETCHED);
    UNTIL(all_are_ready());
    measure("images");
    return 0;
}

int main(int argc, char **argv) {
    static const test tests[] = {
        TEST(a_fling_shows_each_image_in_its_own_cell),
        TEST(memory_is_flat_over_many_flings),
        TEST(items_in_view_load_before_others),
        TEST(the_next_items_are_prefetched),
        TEST(changed_items_are_prefetched),
        TEST(items_that_are_in_view_for_one_frame_are_not_loaded),
        TEST(a_list_ends_during_a_fling),
    };
    if (argc > 1 && strcmp(argv[1], "--late-frames") == 0)
        return measure_late_frames();
    return run_tests(tests, G_N_ELEMENTS(tests));
}
