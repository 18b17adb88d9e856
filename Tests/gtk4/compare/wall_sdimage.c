/* wall_sdimage.c: a wall of pictures with libsdimage-gtk4: wall_sdimage LIST. */
#include <sdimage-gtk4.h>

#include "wall.h"

static void shown(GObject *picture, GAsyncResult *result, gpointer user_data) {
    (void)picture, (void)user_data;
    wall_finished(sdimage_gtk_picture_set_url_finish(result, NULL));
}

static void load_with_sdimage(GtkPicture *picture, const char *url) {
    sdimage_gtk_picture_set_url_async(picture, url, NULL, NULL, shown, NULL);
}

int main(int argc, char **argv) {
    return show_wall(argc, argv, load_with_sdimage);
}
