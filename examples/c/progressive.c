/* progressive.c: a picture while it arrives: says what could be shown after each piece of a file.
 *
 *   progressive FILE [BYTES-OF-A-PIECE]
 *
 * cc progressive.c $(pkg-config --cflags --libs sdimage) */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sdimage.h>

static int failed(const char *what, sdimage_error *error) {
    fprintf(stderr, "progressive: %s: %s: %s\n", what, sdimage_status_name(sdimage_error_code(error)),
            sdimage_error_message(error));
    sdimage_error_unref(error);
    return 1;
}

/* What a window would show now. */
static sdimage_status show(sdimage_decoder *decoder, size_t total, sdimage_error **error) {
    sdimage_image *image = NULL;
    sdimage_status status = sdimage_decoder_copy_image(decoder, &image, error);
    if (status == SDIMAGE_STATUS_NEED_MORE_DATA)
        printf("%8zu bytes: nothing yet\n", total);
    if (status == SDIMAGE_STATUS_OK)
        printf("%8zu bytes: %ux%u, %s, %u whole frames\n", total, sdimage_image_width(image),
               sdimage_image_height(image), sdimage_image_is_incremental(image) ? "a part" : "all of it",
               sdimage_decoder_frame_count(decoder));
    sdimage_image_unref(image);
    return status;
}

int main(int argc, char **argv) {
    char piece[65536];
    size_t size = argc == 3 ? strtoul(argv[2], NULL, 10) : 16384, total = 0, got;
    if (argc < 2 || argc > 3 || size == 0 || size > sizeof piece) {
        fputs("usage: progressive FILE [BYTES-OF-A-PIECE, at most 65536]\n", stderr);
        return 2;
    }
    FILE *file = fopen(argv[1], "rb");
    if (!file) {
        fprintf(stderr, "progressive: %s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    sdimage_decoder *decoder = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = sdimage_decoder_new(NULL, NULL, &decoder, &error);
    do {
        got = fread(piece, 1, size, file);
        total += got;
        /* The last piece may be empty: what counts is that it is the last. */
        if (status >= 0)
            status = sdimage_decoder_append(decoder, piece, got, got == 0, &error);
        if (status >= 0)
            status = show(decoder, total, &error);
    } while (status >= 0 && got > 0);
    fclose(file);
    sdimage_decoder_unref(decoder);
    return status < 0 ? failed(argv[1], error) : 0;
}
