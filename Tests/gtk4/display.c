/* display.c: the loader, the main loop and the drawn pixels of the tests. */
#include "display.h"

enum { MEMORY_CACHE_BYTES = 16 << 20 };

typedef struct Job {
    sdimage_load_sink *sink;
    sdimage_data *data;
} Job;

static GMutex lock;
static GQueue held; /* a queue of Job */
static int cancelled, started;
static GThreadPool *pool;

guint color_of(int number) {
    return (guint)(40 + number % 7 * 30) << 16 | (guint)(40 + number / 7 % 7 * 30) << 8 |
           (guint)(40 + number / 49 * 1 % 215);
}

/* --- The loader. */

static sdimage_image *solid(int number, uint32_t side) {
    uint32_t *pixels = malloc((size_t)side * side * 4);
    guint color = color_of(number);
    for (size_t i = 0; i < (size_t)side * side; i++)
        pixels[i] = GUINT32_TO_LE((color >> 16 & 255) | (color & 0xff00) | (color & 255) << 16 | 0xff000000u);
    sdimage_image *image = NULL;
    CHECK_EQUAL(sdimage_image_new_adopting(side, side, (size_t)side * 4, SDIMAGE_PIXEL_FORMAT_RGBA8, pixels, pixels,
                                           free, &image, NULL),
                SDIMAGE_STATUS_OK);
    return image;
}

static sdimage_data *encoded(int number, uint32_t side, bool is_moving, sdimage_format format) {
    sdimage_image *image = NULL, *frames[4];
    uint32_t durations[4] = {100, 100, 100, 100};
    sdimage_data *data = NULL;
    if (is_moving) {
        for (int i = 0; i < 4; i++)
            frames[i] = solid(number + i, side);
        CHECK_EQUAL(sdimage_image_new_animation(frames, durations, 4, 0, &image, NULL), SDIMAGE_STATUS_OK);
        for (int i = 0; i < 4; i++)
            sdimage_image_unref(frames[i]);
    } else {
        image = solid(number, side);
    }
    CHECK_EQUAL(sdimage_encode(image, format, NULL, &data, NULL), SDIMAGE_STATUS_OK);
    sdimage_image_unref(image);
    return data;
}

static void finish(Job *job) {
    sdimage_load_sink_restart(job->sink);
    sdimage_load_sink_finish_with_data(job->sink, job->data);
    sdimage_data_unref(job->data);
    sdimage_load_sink_unref(job->sink);
    free(job);
}

static void finish_later(gpointer job, gpointer user_data) {
    (void)user_data;
    if (!sdimage_load_sink_is_cancelled(((Job *)job)->sink))
        g_usleep(3000); /* as a network would take */
    finish(job);
}

static bool can_load(void *user_data, const sdimage_request *request) {
    (void)user_data, (void)request;
    return true;
}

static sdimage_status load(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    (void)user_data;
    const char *url = sdimage_request_url(request, NULL);
    char kind[16];
    int number = 0, side = 64;
    g_atomic_int_inc(&started);
    CHECK(sscanf(url, "%15[a-z]:%d,%d", kind, &number, &side) >= 2);
    if (strcmp(kind, "fail") == 0)
        return SDIMAGE_STATUS_CONNECT_FAILED;
    bool is_moving = strcmp(kind, "moving") == 0, has_rows = strcmp(kind, "rows") == 0;
    Job *job = malloc(sizeof *job);
    *job = (Job){sdimage_load_sink_ref(sink), encoded(number, (uint32_t)side, is_moving,
                                                      is_moving || has_rows ? SDIMAGE_FORMAT_PNG : SDIMAGE_FORMAT_BMP)};
    if (strcmp(kind, "slow") == 0) {
        g_thread_pool_push(pool, job, NULL);
    } else if (has_rows || strcmp(kind, "wait") == 0) {
        size_t length = sdimage_data_length(job->data);
        sdimage_load_sink_set_expected_length(sink, length);
        (void)sdimage_load_sink_write(sink, sdimage_data_bytes(job->data), length / 2, NULL);
        g_mutex_lock(&lock);
        g_queue_push_tail(&held, job);
        g_mutex_unlock(&lock);
    } else {
        finish(job);
    }
    return SDIMAGE_STATUS_OK;
}

static void cancel(void *user_data, sdimage_load_sink *sink) {
    (void)user_data, (void)sink;
    g_atomic_int_inc(&cancelled);
}

void open_loader(void) {
    Job *job;
    do {
        g_mutex_lock(&lock);
        job = g_queue_pop_head(&held);
        g_mutex_unlock(&lock);
        if (job)
            finish(job);
    } while (job);
}

int held_loads(void) {
    g_mutex_lock(&lock);
    int count = (int)g_queue_get_length(&held);
    g_mutex_unlock(&lock);
    return count;
}

guint queued_loads(void) {
    return g_thread_pool_unprocessed(pool);
}

int cancelled_loads(void) {
    return g_atomic_int_get(&cancelled);
}

int started_loads(void) {
    return g_atomic_int_get(&started);
}

/* Sets a manager with a cache in memory. */
static void use_loader(sdimage_loader *loader) {
    sdimage_cache_config *cache_config = sdimage_cache_config_new();
    sdimage_cache_config_set_memory_only(cache_config, true);
    sdimage_cache_config_set_max_memory_cost(cache_config, MEMORY_CACHE_BYTES);
    sdimage_cache *cache = NULL;
    CHECK_EQUAL(sdimage_cache_new(cache_config, &cache, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager_config_set_cache(config, cache);
    sdimage_manager_config_set_loader(config, loader);
    sdimage_manager *manager = NULL;
    CHECK_EQUAL(sdimage_manager_new(config, &manager, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager_config_unref(config);
    sdimage_cache_config_unref(cache_config);
    sdimage_cache_unref(cache);
    sdimage_gtk_set_manager(NULL, manager);
    sdimage_manager_unref(manager);
    sdimage_loader_unref(loader);
}

void start_display(void) {
    static const sdimage_loader_vtable table = {
        .size = sizeof table, .can_load = can_load, .load = load, .cancel = cancel};
    sdimage_loader *loader = NULL;
    CHECK(gtk_init_check());
    pool = g_thread_pool_new(finish_later, NULL, 8, FALSE, NULL);
    CHECK_EQUAL(sdimage_loader_new_custom("test", &table, NULL, NULL, &loader, NULL), SDIMAGE_STATUS_OK);
    use_loader(loader);
}

/* --- The origin. */

static GCond opening;
static bool is_open;     /* with the lock held */
static GArray *requests; /* elements are int; with the lock held */

/* Records a request, and waits until the origin is open. */
static void admit(int number) {
    g_mutex_lock(&lock);
    g_array_append_val(requests, number);
    while (!is_open)
        g_cond_wait(&opening, &lock);
    g_mutex_unlock(&lock);
}

static gboolean serve(GThreadedSocketService *service, GSocketConnection *connection) {
    (void)service;
    GDataInputStream *input = g_data_input_stream_new(g_io_stream_get_input_stream(G_IO_STREAM(connection)));
    GOutputStream *output = g_io_stream_get_output_stream(G_IO_STREAM(connection));
    g_data_input_stream_set_newline_type(input, G_DATA_STREAM_NEWLINE_TYPE_CR_LF);
    int number = 0;
    for (char *line; (line = g_data_input_stream_read_line(input, NULL, NULL, NULL)); g_free(line)) {
        (void)sscanf(line, "GET /%d", &number);
        if (*line)
            continue;
        admit(number);
        sdimage_data *data = encoded(number, 64, false, SDIMAGE_FORMAT_BMP);
        char *header = g_strdup_printf("HTTP/1.1 200 OK\r\nContent-Type: image/bmp\r\nContent-Length: %zu\r\n\r\n",
                                       sdimage_data_length(data));
        (void)g_output_stream_write_all(output, header, strlen(header), NULL, NULL, NULL);
        (void)g_output_stream_write_all(output, sdimage_data_bytes(data), sdimage_data_length(data), NULL, NULL, NULL);
        sdimage_data_unref(data);
        g_free(header);
    }
    g_object_unref(input);
    return TRUE;
}

int start_origin(void) {
    requests = g_array_new(FALSE, FALSE, sizeof(int));
    GSocketService *service = g_threaded_socket_service_new(8);
    g_signal_connect(service, "run", G_CALLBACK(serve), NULL);
    GInetAddress *loopback = g_inet_address_new_loopback(G_SOCKET_FAMILY_IPV4);
    GSocketAddress *address = g_inet_socket_address_new(loopback, 0), *used = NULL;
    CHECK(g_socket_listener_add_address(G_SOCKET_LISTENER(service), address, G_SOCKET_TYPE_STREAM,
                                        G_SOCKET_PROTOCOL_TCP, NULL, &used, NULL));
    int port = g_inet_socket_address_get_port(G_INET_SOCKET_ADDRESS(used));
    g_object_unref(loopback);
    g_object_unref(address);
    g_object_unref(used);
    sdimage_downloader_config *config = sdimage_downloader_config_new();
    sdimage_downloader_config_set_max_total(config, 1);
    /* It holds responses while windows are drawn. */
    sdimage_downloader_config_set_inactivity_timeout_ms(config, 600000);
    sdimage_downloader_config_set_total_timeout_ms(config, 600000);
    sdimage_loader *loader = NULL;
    CHECK_EQUAL(sdimage_downloader_new(config, &loader, NULL), SDIMAGE_STATUS_OK);
    sdimage_downloader_config_unref(config);
    use_loader(loader);
    return port;
}

void open_origin(void) {
    g_mutex_lock(&lock);
    is_open = true;
    g_cond_broadcast(&opening);
    g_mutex_unlock(&lock);
}

int order_of_requests(int *numbers, int length) {
    g_mutex_lock(&lock);
    int count = MIN((int)requests->len, length);
    memcpy(numbers, requests->data, (size_t)count * sizeof *numbers);
    g_mutex_unlock(&lock);
    return count;
}

/* --- The main loop. */

static gboolean wake(gpointer data) {
    (void)data;
    return G_SOURCE_REMOVE;
}

void run_once(void) {
    g_timeout_add(5, wake, NULL); /* a condition may change without an event of the loop */
    g_main_context_iteration(NULL, TRUE);
}

static gboolean count_frame(GtkWidget *widget, GdkFrameClock *clock, gpointer count) {
    (void)widget, (void)clock;
    --*(int *)count;
    return *(int *)count > 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

void run_frames(GtkWidget *widget, int count) {
    gtk_widget_add_tick_callback(widget, count_frame, &count, NULL);
    UNTIL(count <= 0);
}

GtkWidget *new_window(GtkWidget *child, int width, int height) {
    GtkWidget *window = gtk_window_new();
    gtk_window_set_decorated(GTK_WINDOW(window), FALSE);
    gtk_window_set_default_size(GTK_WINDOW(window), width, height);
    gtk_window_set_child(GTK_WINDOW(window), child);
    gtk_window_present(GTK_WINDOW(window));
    UNTIL(gtk_widget_get_mapped(window) && gtk_widget_get_width(window) > 0);
    return window;
}

/* --- Pixels. */

GdkTexture *drawn(GtkWidget *widget) {
    float scale = (float)gtk_widget_get_scale_factor(widget);
    double width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
    GtkSnapshot *snapshot = gtk_snapshot_new();
    gtk_snapshot_scale(snapshot, scale, scale);
    GskRenderer *renderer = gtk_native_get_renderer(gtk_widget_get_native(widget));
    GdkPaintable *paintable = gtk_widget_paintable_new(widget);
    gdk_paintable_snapshot(paintable, snapshot, width, height);
    g_object_unref(paintable);
    GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
    GdkTexture *texture = NULL;
    if (node)
        texture = gsk_renderer_render_texture(renderer, node,
                                              &GRAPHENE_RECT_INIT(0, 0, (float)width * scale, (float)height * scale));
    if (node)
        gsk_render_node_unref(node);
    return texture;
}

typedef struct AfterFrame {
    void (*run)(void *user_data);
    void *user_data;
    bool is_done;
} AfterFrame;

static void on_after_paint(GdkFrameClock *clock, gpointer user_data) {
    AfterFrame *frame = user_data;
    (void)clock;
    if (!frame->is_done)
        frame->run(frame->user_data);
    frame->is_done = true;
}

void after_frame(GtkWidget *widget, void (*run)(void *user_data), void *user_data) {
    GdkFrameClock *clock = gtk_widget_get_frame_clock(widget);
    AfterFrame frame = {run, user_data, false};
    gulong handler = g_signal_connect(clock, "after-paint", G_CALLBACK(on_after_paint), &frame);
    gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_PAINT);
    UNTIL(frame.is_done);
    g_signal_handler_disconnect(clock, handler);
}

typedef struct Point {
    GtkWidget *widget;
    double x, y;
    guint color;
} Point;

static void read_color(void *user_data) {
    Point *point = user_data;
    GdkTexture *texture = drawn(point->widget);
    if (!texture)
        return;
    int width = gdk_texture_get_width(texture), height = gdk_texture_get_height(texture);
    guint32 *pixels = malloc((size_t)width * (size_t)height * 4);
    gdk_texture_download(texture, (guchar *)pixels, (gsize)width * 4);
    point->color = pixels[(int)(point->y * (height - 1)) * width + (int)(point->x * (width - 1))];
    free(pixels);
    g_object_unref(texture);
}

guint color_at(GtkWidget *widget, double x, double y) {
    Point point = {widget, x, y, 0};
    after_frame(widget, read_color, &point);
    return point.color & 0xffffff; /* CAIRO_FORMAT_ARGB32 */
}

bool is_near(guint color, guint other) {
    for (int shift = 0; shift < 24; shift += 8)
        if (ABS((int)(color >> shift & 255) - (int)(other >> shift & 255)) > 3)
            return false;
    return true;
}

typedef struct Screenshot {
    GtkWidget *widget;
    const char *path;
} Screenshot;

static void save(void *user_data) {
    Screenshot *screenshot = user_data;
    GdkTexture *texture = drawn(screenshot->widget);
    CHECK(texture && gdk_texture_save_to_png(texture, screenshot->path));
    g_object_unref(texture);
}

void keep_screenshot(GtkWidget *widget, const char *name) {
    if (!getenv("SCREENSHOTS"))
        return;
    char *path = g_strdup_printf("%s/%s.png", getenv("SCREENSHOTS"), name);
    after_frame(widget, save, &(Screenshot){widget, path});
    g_free(path);
}
