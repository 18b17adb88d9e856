/* screen.c: images on a terminal: half blocks in 24-bit color, sixel, and the graphics protocol of kitty (see
 * screen.h).
 *
 * Each frame is drawn over the one before: half blocks move the cursor up, sixel restores its saved position, and kitty
 * replaces the image of the same number. */
#include "screen.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* The modes of the terminal before they were changed, if `has_keys`. */
static struct termios before;
static bool has_keys;

/* Has the terminal deliver keys at once and without an echo, if standard input is one. */
static void read_keys_unbuffered(void) {
    if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &before))
        return;
    struct termios raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    /* A read returns at once, even without a key. */
    raw.c_cc[VMIN] = 0, raw.c_cc[VTIME] = 0;
    has_keys = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

/* The terminal's response to a graphics query. A "device attributes" query follows, to which all terminals respond,
 * so that there is no wait when a terminal ignores the first. */
static screen_kind detect_protocol(void) {
    static const char question[] = "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033[c";
    char answer[256] = "";
    size_t length = 0;
    if (!has_keys)
        return SCREEN_BLOCKS;
    fputs(question, stdout);
    fflush(stdout);
    struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
    /* Reads until the attributes are complete, or until the terminal is silent for 300 ms. */
    while (length + 1 < sizeof answer && poll(&keys, 1, 300) == 1) {
        ssize_t count = read(STDIN_FILENO, answer + length, sizeof answer - 1 - length);
        if (count <= 0)
            break;
        length += (size_t)count;
        answer[length] = '\0';
        const char *attributes = strstr(answer, "\033[?");
        if (attributes && strchr(attributes, 'c'))
            break;
    }
    /* Attribute 4 of the response means sixel. */
    if (strstr(answer, "_Gi=31;OK"))
        return SCREEN_KITTY;
    const char *attributes = strstr(answer, "\033[?");
    return attributes && (strstr(attributes, ";4;") || strstr(attributes, ";4c")) ? SCREEN_SIXEL : SCREEN_BLOCKS;
}

bool open_screen(screen *screen, const char *name) {
    struct winsize size = {0};
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
        return false;
    /* The last row stays free for the cursor. */
    uint32_t columns = size.ws_col ? size.ws_col : 80, rows = size.ws_row > 1 ? size.ws_row - 1u : 23;
    read_keys_unbuffered();
    screen->kind = !strcmp(name, "kitty")    ? SCREEN_KITTY
                   : !strcmp(name, "sixel")  ? SCREEN_SIXEL
                   : !strcmp(name, "blocks") ? SCREEN_BLOCKS
                                             : detect_protocol();
    /* Otherwise a character counts as 8 x 16 pixels. */
    bool has_pixels = size.ws_xpixel && size.ws_ypixel && size.ws_row;
    screen->width = screen->kind == SCREEN_BLOCKS ? columns : has_pixels ? size.ws_xpixel : columns * 8;
    screen->height = screen->kind == SCREEN_BLOCKS ? rows * 2
                     : has_pixels                  ? (uint32_t)size.ws_ypixel * rows / size.ws_row
                                                   : rows * 16;
    screen->drawn_rows = 0;
    /* Hides the cursor, which close_screen shows again. */
    fputs("\033[?25l", stdout);
    return true;
}

void close_screen(screen *screen) {
    fputs(screen->drawn_rows ? "\033[0m\033[?25h\n" : "\033[0m\033[?25h", stdout);
    fflush(stdout);
    if (has_keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &before);
    has_keys = false;
}

/* The three samples of a pixel composed on black. */
static void color_of(const uint8_t *pixel, unsigned color[3]) {
    for (int i = 0; i < 3; i++)
        color[i] = pixel[i] * pixel[3] / 255u;
}

/* Returns a row of RGBA pixels. */
static const uint8_t *row_of(const sdimage_image *image, uint32_t y) {
    return (const uint8_t *)sdimage_image_pixels(image) + (size_t)y * sdimage_image_stride(image);
}

/* Draws two rows of pixels as one row of characters: the upper half block (U+2580) in the color of the upper pixel, on
 * the color of the lower one. */
static void draw_blocks(screen *screen, const sdimage_image *image) {
    uint32_t width = sdimage_image_width(image), height = sdimage_image_height(image);
    /* The cursor is in the last row of the previous frame. */
    if (screen->drawn_rows > 1)
        printf("\033[%uA", screen->drawn_rows - 1);
    putchar('\r');
    for (uint32_t y = 0; y < height; y += 2) {
        if (y)
            fputs("\033[0m\r\n", stdout);
        for (uint32_t x = 0; x < width; x++) {
            unsigned upper[3], lower[3] = {0, 0, 0};
            color_of(row_of(image, y) + 4 * (size_t)x, upper);
            if (y + 1 < height)
                color_of(row_of(image, y + 1) + 4 * (size_t)x, lower);
            printf("\033[38;2;%u;%u;%u;48;2;%u;%u;%um\xe2\x96\x80", upper[0], upper[1], upper[2], lower[0], lower[1],
                   lower[2]);
        }
    }
    fputs("\033[0m", stdout);
    screen->drawn_rows = (height + 1) / 2;
}

/* Returns the number of a pixel's color in a cube of six levels each. */
static unsigned level_of(const uint8_t *pixel) {
    unsigned color[3];
    color_of(pixel, color);
    return (color[0] + 25) / 51 * 36 + (color[1] + 25) / 51 * 6 + (color[2] + 25) / 51;
}

/* Prints a run of equal columns of six pixels: "!COUNT" and a character, or the character repeated (DEC STD 070,
 * chapter 9). */
static void put_run(unsigned bits, unsigned count) {
    if (count > 3)
        printf("!%u%c", count, 63 + bits);
    for (; count > 0 && count <= 3; count--)
        putchar((int)(63 + bits));
}

/* Draws a band of up to six rows, one color after the other. "$" returns to its beginning, "-" ends it. */
static void draw_band(const uint8_t *levels, uint32_t width, unsigned rows) {
    for (unsigned level = 0; level < 216; level++) {
        unsigned bits = 0, count = 0;
        /* Most colors do not occur in a band. */
        if (!memchr(levels, (int)level, (size_t)width * rows))
            continue;
        printf("#%u", level);
        for (uint32_t x = 0; x < width; x++) {
            /* Bit `y` is set if row `y` has the color. */
            unsigned column = 0;
            for (unsigned y = 0; y < rows; y++)
                column |= (unsigned)(levels[y * width + x] == level) << y;
            if (column != bits)
                put_run(bits, count), count = 0;
            bits = column, count++;
        }
        put_run(bits, count);
        putchar('$');
    }
    putchar('-');
}

/* Draws an image as sixel: the palette in percent, then bands of six rows. */
static void draw_sixel(screen *screen, const sdimage_image *image) {
    uint32_t width = sdimage_image_width(image), height = sdimage_image_height(image);
    uint8_t *levels = malloc((size_t)width * 6);
    if (!levels)
        return;
    /* Saves the position of the cursor for the first frame, and restores it for others. */
    fputs(screen->drawn_rows ? "\0338" : "\0337", stdout);
    /* 1: pixels without a color stay as they are. The raster attributes are the pixel aspect and the size. */
    printf("\033P7;1q\"1;1;%u;%u", width, height);
    /* Levels 0 to 5 of a component are 0 to 100 percent. */
    for (unsigned level = 0; level < 216; level++)
        printf("#%u;2;%u;%u;%u", level, level / 36 * 20, level / 6 % 6 * 20, level % 6 * 20);
    for (uint32_t top = 0; top < height; top += 6) {
        unsigned rows = height - top < 6 ? height - top : 6;
        for (unsigned y = 0; y < rows; y++)
            for (uint32_t x = 0; x < width; x++)
                levels[y * width + x] = (uint8_t)level_of(row_of(image, top + y) + 4 * (size_t)x);
        draw_band(levels, width, rows);
    }
    fputs("\033\\", stdout);
    free(levels);
    screen->drawn_rows = 1;
}

/* Prints bytes in Base 64 (RFC 4648, section 4). See docs/decisions.md, "Small formats are implemented in Swift and in
 * C". */
static void put_base64(const uint8_t *bytes, size_t count) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        unsigned group =
            (unsigned)bytes[i] << 16 | (i + 1 < count ? bytes[i + 1] << 8 : 0) | (i + 2 < count ? bytes[i + 2] : 0);
        putchar(letters[group >> 18]);
        putchar(letters[group >> 12 & 63]);
        putchar(i + 1 < count ? letters[group >> 6 & 63] : '=');
        putchar(i + 2 < count ? letters[group & 63] : '=');
    }
}

/* Draws an image with the protocol of kitty, in chunks of at most 4,096 characters. The same image number replaces the
 * previous image. */
static void draw_kitty(screen *screen, const sdimage_image *image) {
    enum { PIECE = 3072 };
    uint32_t width = sdimage_image_width(image), height = sdimage_image_height(image);
    size_t row = (size_t)width * 4, length = row * height;
    uint8_t *pixels = malloc(length);
    if (!pixels)
        return;
    /* The protocol knows no stride. */
    for (uint32_t y = 0; y < height; y++)
        memcpy(pixels + y * row, row_of(image, y), row);
    for (size_t start = 0; start < length; start += PIECE) {
        size_t count = length - start < PIECE ? length - start : PIECE;
        /* f=32: RGBA of 8 bits. C=1: the cursor stays. q=2: no responses. m=1: another chunk follows. */
        if (start == 0)
            printf("\033_Ga=T,i=1,p=1,f=32,s=%u,v=%u,C=1,q=2,m=%d;", width, height, start + count < length);
        else
            printf("\033_Gm=%d;", start + count < length);
        put_base64(pixels + start, count);
        fputs("\033\\", stdout);
    }
    free(pixels);
    screen->drawn_rows = 1;
}

void draw_on_screen(screen *screen, const sdimage_image *image) {
    sdimage_image *plain = NULL;
    if (sdimage_image_convert(image, SDIMAGE_PIXEL_FORMAT_RGBA8, &plain, NULL) < 0)
        return;
    if (screen->kind == SCREEN_KITTY)
        draw_kitty(screen, plain);
    else if (screen->kind == SCREEN_SIXEL)
        draw_sixel(screen, plain);
    else
        draw_blocks(screen, plain);
    fflush(stdout);
    sdimage_image_unref(plain);
}
