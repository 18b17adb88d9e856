/* screen.h: images on a terminal. */
#ifndef SDIMAGE_CLI_SCREEN_H
#define SDIMAGE_CLI_SCREEN_H

#include <sdimage.h>

/* The output method: two pixels to a character, or a protocol that the terminal reports. */
typedef enum screen_kind { SCREEN_BLOCKS, SCREEN_SIXEL, SCREEN_KITTY } screen_kind;

/* The terminal of standard output. */
typedef struct screen {
    screen_kind kind;
    uint32_t width, height; /* pixels that fit */
    unsigned drawn_rows;    /* character rows drawn since the first row of the image */
} screen;

/* Opens the terminal of standard output, detects its graphics protocol unless `name` is that of one, and reads its
 * keys. Returns false if there is no terminal. */
bool open_screen(screen *screen, const char *name);
/* Draws an image over the one before it. Without memory nothing is drawn. */
void draw_on_screen(screen *screen, const sdimage_image *image);
/* Restores the terminal, with the cursor below the image. */
void close_screen(screen *screen);

#endif
