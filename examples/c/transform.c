/* transform.c: makes an avatar: a square crop with round corners, in the format of the output's name.
 *
 *   transform IN OUT [SIDE]
 *
 * cc transform.c $(pkg-config --cflags --libs sdimage) */
#include <stdio.h>
#include <stdlib.h>

#include <sdimage.h>

static int failed(const char *what, sdimage_error *error) {
    fprintf(stderr, "transform: %s: %s: %s\n", what, sdimage_status_name(sdimage_error_code(error)),
            sdimage_error_message(error));
    sdimage_error_unref(error);
    return 1;
}

/* Crops to the center, then to a circle with a thin border. One transformer serves any number of images. */
static sdimage_status make_avatar(double side, sdimage_transformer **avatar, sdimage_error **error) {
    sdimage_color gray = {.red = 0.5, .green = 0.5, .blue = 0.5, .alpha = 1};
    sdimage_transformer *steps[2] = {NULL, NULL};
    sdimage_status status =
        sdimage_transformer_new_resize(side, side, SDIMAGE_SCALE_MODE_ASPECT_FILL, &steps[0], error);
    if (status >= 0)
        status = sdimage_transformer_new_round_corner(side / 2, SDIMAGE_CORNERS_ALL, 2, &gray, &steps[1], error);
    if (status >= 0)
        status = sdimage_transformer_new_pipeline(steps, 2, avatar, error);
    sdimage_transformer_unref(steps[0]);
    sdimage_transformer_unref(steps[1]);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 4) {
        fputs("usage: transform IN OUT [SIDE]\n", stderr);
        return 2;
    }
    double side = argc == 4 ? strtod(argv[3], NULL) : 128;
    sdimage_transformer *avatar = NULL;
    sdimage_image *image = NULL, *round = NULL;
    sdimage_error *error = NULL;
    if (make_avatar(side, &avatar, &error) < 0)
        return failed("the avatar", error);

    /* For large images, decode a thumbnail first: sdimage_decode_options_set_thumbnail_size. */
    sdimage_status status = sdimage_decode_file(argv[1], NULL, &image, &error);
    if (status >= 0)
        status = sdimage_image_transform(image, avatar, &round, &error);
    if (status >= 0)
        status = sdimage_encode_file(round, argv[2], SDIMAGE_FORMAT_UNKNOWN, NULL, &error);
    if (status >= 0)
        printf("%ux%u by %s\n", sdimage_image_width(round), sdimage_image_height(round),
               sdimage_transformer_key(avatar));
    sdimage_image_unref(round);
    sdimage_image_unref(image);
    sdimage_transformer_unref(avatar);
    return status < 0 ? failed(argv[1], error) : 0;
}
