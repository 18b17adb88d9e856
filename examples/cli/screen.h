/* screen.h: pictures on a terminal. */
#ifndef SDIMAGE_CLI_SCREEN_H
#define SDIMAGE_CLI_SCREEN_H

#include <sdimage.h>

/* How a terminal shows pixels: two to a character, or as it says that it can. */
typedef enum screen_kind { SCREEN_BLOCKS, SCREEN_SIXEL, SCREEN_KITTY } screen_kind;

typedef struct screen {
    screen_kind kind;
    uint32_t width, height; /* pixels that fit */
    unsigned drawn_rows;    /* of characters, since the picture's first row */
} screen;

/* Looks at the terminal of standard output, asks it what it can show unless `wanted` says it, and takes its keys. False
 * where there is no terminal. */
bool open_screen(screen *screen, const char *wanted);
void draw_on_screen(screen *screen, const sdimage_image *image);
/* As it was before, with the cursor below the picture. */
void close_screen(screen *screen);

#endif
