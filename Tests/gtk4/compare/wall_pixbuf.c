/* wall_pixbuf.c: a wall of pictures with libcurl and gdk-pixbuf on a pool of threads: wall_pixbuf LIST. */
#include <curl/curl.h>
#include <gtk/gtk.h>

#include "wall.h"

enum { THREADS = 8 };

typedef struct Job {
    GtkPicture *picture;
    char *url;
    int width, height;
    GdkPixbuf *pixbuf;
} Job;

static size_t receive(char *bytes, size_t size, size_t count, void *loader) {
    return gdk_pixbuf_loader_write(loader, (guchar *)bytes, size * count, NULL) ? size * count : 0;
}

/* Covers the picture, as it is drawn. */
static void set_size(GdkPixbufLoader *loader, int width, int height, Job *job) {
    double scale = MAX((double)job->width / width, (double)job->height / height);
    if (scale < 1)
        gdk_pixbuf_loader_set_size(loader, MAX(1, (int)(width * scale)), MAX(1, (int)(height * scale)));
}

static gboolean show(gpointer user_data) {
    Job *job = user_data;
    if (job->pixbuf) {
        GdkTexture *texture = gdk_texture_new_for_pixbuf(job->pixbuf);
        gtk_picture_set_paintable(job->picture, GDK_PAINTABLE(texture));
        g_object_unref(texture);
        g_object_unref(job->pixbuf);
    }
    wall_finished(job->pixbuf != NULL);
    g_object_unref(job->picture);
    g_free(job->url);
    g_free(job);
    return G_SOURCE_REMOVE;
}

static void fetch(gpointer data, gpointer user_data) {
    static GPrivate handle = G_PRIVATE_INIT(curl_easy_cleanup);
    Job *job = data;
    (void)user_data;
    CURL *curl = g_private_get(&handle);
    if (!curl)
        g_private_set(&handle, curl = curl_easy_init()); /* keeps its connection */
    GdkPixbufLoader *loader = gdk_pixbuf_loader_new();
    g_signal_connect(loader, "size-prepared", G_CALLBACK(set_size), job);
    curl_easy_setopt(curl, CURLOPT_URL, job->url);
    curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, loader);
    gboolean is_received = curl_easy_perform(curl) == CURLE_OK;
    if (gdk_pixbuf_loader_close(loader, NULL) && is_received)
        job->pixbuf = g_object_ref(gdk_pixbuf_loader_get_pixbuf(loader));
    g_object_unref(loader);
    g_idle_add(show, job);
}

static void load_with_pixbuf(GtkPicture *picture, const char *url) {
    static GThreadPool *pool;
    if (!pool)
        pool = g_thread_pool_new(fetch, NULL, THREADS, FALSE, NULL);
    Job *job = g_new0(Job, 1);
    job->picture = g_object_ref(picture);
    job->url = g_strdup(url);
    gtk_widget_get_size_request(GTK_WIDGET(picture), &job->width, &job->height);
    g_thread_pool_push(pool, job, NULL);
}

int main(int argc, char **argv) {
    return show_wall(argc, argv, load_with_pixbuf);
}
