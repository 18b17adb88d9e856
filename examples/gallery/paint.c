/* paint.c: draws the gallery with SDL. */
#include "paint.h"

#include <ctype.h>
#include <string.h>

enum { RADIUS = 10 };

static const SDL_Color BACKGROUND = {20, 22, 27, 255}, TILE = {36, 39, 47, 255}, DIM = {140, 148, 164, 255},
                       WHITE = {255, 255, 255, 255}, ACCENT = {94, 168, 255, 255}, SHADE = {0, 0, 0, 150},
                       FAULT = {64, 34, 40, 255}, FAULT_TEXT = {255, 150, 150, 255};

static void set_color(const painter *painter, SDL_Color color) {
    SDL_SetRenderDrawColor(painter->renderer, color.r, color.g, color.b, color.a);
}

static void fill(const painter *painter, SDL_Color color, int x, int y, int width, int height) {
    set_color(painter, color);
    SDL_RenderFillRect(painter->renderer, &(SDL_Rect){x, y, width, height});
}

/* --- Letters: capitals, digits and `_`, in seven rows of five dots each, the leftmost in the highest bit. */

static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/* Seven rows of five dots each, the leftmost in the highest bit. */
static const Uint8 ROWS[][7] = {{0x0e, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11}, {0x1e, 0x11, 0x11, 0x1e, 0x11, 0x11, 0x1e},
                                {0x0f, 0x10, 0x10, 0x10, 0x10, 0x10, 0x0f}, {0x1e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1e},
                                {0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x1f}, {0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x10},
                                {0x0f, 0x10, 0x10, 0x13, 0x11, 0x11, 0x0f}, {0x11, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11},
                                {0x0e, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e}, {0x07, 0x02, 0x02, 0x02, 0x02, 0x12, 0x0c},
                                {0x11, 0x12, 0x14, 0x18, 0x14, 0x12, 0x11}, {0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x1f},
                                {0x11, 0x1b, 0x15, 0x15, 0x11, 0x11, 0x11}, {0x11, 0x19, 0x15, 0x13, 0x11, 0x11, 0x11},
                                {0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e}, {0x1e, 0x11, 0x11, 0x1e, 0x10, 0x10, 0x10},
                                {0x0e, 0x11, 0x11, 0x11, 0x15, 0x12, 0x0d}, {0x1e, 0x11, 0x11, 0x1e, 0x14, 0x12, 0x11},
                                {0x0f, 0x10, 0x10, 0x0e, 0x01, 0x01, 0x1e}, {0x1f, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04},
                                {0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e}, {0x11, 0x11, 0x11, 0x11, 0x11, 0x0a, 0x04},
                                {0x11, 0x11, 0x11, 0x15, 0x15, 0x1b, 0x11}, {0x11, 0x11, 0x0a, 0x04, 0x0a, 0x11, 0x11},
                                {0x11, 0x11, 0x0a, 0x04, 0x04, 0x04, 0x04}, {0x1f, 0x01, 0x02, 0x04, 0x08, 0x10, 0x1f},
                                {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x1f}, {0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e},
                                {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e}, {0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f},
                                {0x1e, 0x01, 0x01, 0x0e, 0x01, 0x01, 0x1e}, {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02},
                                {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e}, {0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e},
                                {0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08}, {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e},
                                {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c}};

/* Pixels per dot. */
static int point_of(const painter *painter) {
    return painter->scale >= 1.5 ? 2 : 1;
}

static int width_of(const char *text, int point) {
    return ((int)strlen(text) * 6 - 1) * point;
}

/* A character without a glyph is drawn as a space. */
static void draw_text(const painter *painter, const char *text, SDL_Color color, int x, int y, int point) {
    set_color(painter, color);
    for (; *text; text++, x += 6 * point) {
        const char *known = strchr(LETTERS, toupper((unsigned char)*text));
        for (int i = 0; known && i < 35; i++)
            if (ROWS[known - LETTERS][i / 5] >> (4 - i % 5) & 1)
                SDL_RenderFillRect(painter->renderer, &(SDL_Rect){x + i % 5 * point, y + i / 5 * point, point, point});
    }
}

/* --- Images. */

/* A texture with the pixels of the image, reused while the size is the same. Returns NULL if there is no texture. */
static SDL_Texture *upload(const painter *painter, wall_picture *picture) {
    const sdimage_image *image = picture->image;
    int width = (int)sdimage_image_width(image), height = (int)sdimage_image_height(image), w = 0, h = 0;
    if (picture->drawn && (SDL_QueryTexture(picture->drawn, NULL, NULL, &w, &h) < 0 || w != width || h != height)) {
        SDL_DestroyTexture(picture->drawn);
        picture->drawn = NULL;
    }
    if (!picture->drawn) {
        picture->is_stale = true;
        picture->drawn =
            SDL_CreateTexture(painter->renderer, SDL_PIXELFORMAT_RGBA32, SDL_TEXTUREACCESS_STREAMING, width, height);
    }
    if (picture->drawn && picture->is_stale) {
        int stride = (int)sdimage_image_stride(image);
        picture->is_stale = SDL_UpdateTexture(picture->drawn, NULL, sdimage_image_pixels(image), stride) < 0;
        SDL_SetTextureBlendMode(picture->drawn, SDL_BLENDMODE_BLEND);
    }
    return picture->is_stale ? NULL : picture->drawn;
}

static void draw_picture(const painter *painter, wall_picture *picture, double alpha, const SDL_Rect *place) {
    SDL_Texture *texture = picture->image ? upload(painter, picture) : NULL;
    if (!texture)
        return;
    sdimage_rect crop = cell_crop(picture->image);
    SDL_Rect part = {(int)crop.x, (int)crop.y, (int)crop.width, (int)crop.height};
    SDL_SetTextureAlphaMod(texture, (Uint8)(alpha * 255));
    SDL_RenderCopy(painter->renderer, texture, &part, place);
}

static void draw_failure(const painter *painter, const wall_cell *cell, const SDL_Rect *place) {
    const char *name = sdimage_status_name(cell->error);
    int point = place->w > width_of(name, 2) + 16 ? 2 : 1;
    fill(painter, FAULT, place->x, place->y, place->w, place->h);
    draw_text(painter, name, FAULT_TEXT, place->x + (place->w - width_of(name, point)) / 2,
              place->y + place->h / 2 - 4 * point, point);
}

static void draw_progress(const painter *painter, double progress, const SDL_Rect *place) {
    int edge = place->w / 12, height = place->w / 30 + 1, width = place->w - 2 * edge;
    int x = place->x + edge, y = place->y + place->h - edge - height;
    fill(painter, SHADE, x, y, width, height);
    fill(painter, ACCENT, x, y, (int)(width * progress), height);
}

static void draw_badge(const painter *painter, const char *text, const SDL_Rect *place) {
    int point = point_of(painter), edge = 7 * point;
    fill(painter, SHADE, place->x + edge, place->y + edge, width_of(text, point) + 8 * point, 13 * point);
    draw_text(painter, text, WHITE, place->x + edge + 4 * point, place->y + edge + 3 * point, point);
}

static void draw_cell(const painter *painter, wall_cell *cell, int64_t x, int64_t y) {
    SDL_Rect place = {(int)((double)x * painter->scale), (int)((double)y * painter->scale), painter->side,
                      painter->side};
    fill(painter, TILE, place.x, place.y, place.w, place.h);
    draw_picture(painter, &cell->before, 1, &place);
    draw_picture(painter, &cell->now, cell_fade(cell), &place);
    if (cell->state == WALL_FAILED)
        draw_failure(painter, cell, &place);
    else if (cell->state == WALL_LOADING && cell->progress >= 0)
        draw_progress(painter, cell->progress, &place);
    if (cell->badge[0])
        draw_badge(painter, cell->badge, &place);
    SDL_RenderCopy(painter->renderer, painter->corners, NULL, &place);
}

void paint_wall(const painter *painter, const wall *wall, int line_height) {
    int width = 0, height = 0, line = (int)(line_height * painter->scale), point = point_of(painter);
    char text[128];
    SDL_GetRendererOutputSize(painter->renderer, &width, &height);
    set_color(painter, BACKGROUND);
    SDL_RenderClear(painter->renderer);
    for (size_t i = 0; i < wall->cell_count; i++) {
        int64_t x, y;
        if (wall_place(wall, wall->cells[i], &x, &y))
            draw_cell(painter, wall->cells[i], x, y);
    }
    fill(painter, BACKGROUND, 0, height - line, width, line);
    wall_describe(wall, text, sizeof text);
    draw_text(painter, text, DIM, (int)(WALL_GAP * painter->scale), height - line / 2 - 4 * point, point);
}

/* --- The overlay on the corners of a cell: the background color with a hole, a square with round corners. */

static Uint8 cover(int i, int side, double radius) {
    double x = i % side + 0.5, y = i / side + 0.5; /* distance beyond the circle of its corner */
    double dx = SDL_max(SDL_max(radius - x, x - side + radius), 0),
           dy = SDL_max(SDL_max(radius - y, y - side + radius), 0);
    double outside = SDL_sqrt(dx * dx + dy * dy) - radius + 0.5;
    return (Uint8)(255 * SDL_min(SDL_max(outside, 0), 1));
}

bool paint_begin(painter *painter, int side, double scale) {
    paint_end(painter);
    painter->side = side;
    painter->scale = scale;
    SDL_SetRenderDrawBlendMode(painter->renderer, SDL_BLENDMODE_BLEND);
    painter->corners =
        SDL_CreateTexture(painter->renderer, SDL_PIXELFORMAT_RGBA32, SDL_TEXTUREACCESS_STATIC, side, side);
    Uint8 *pixels = SDL_calloc((size_t)side * (size_t)side, 4);
    if (pixels)
        for (int i = 0; i < side * side; i++) {
            Uint8 pixel[4] = {BACKGROUND.r, BACKGROUND.g, BACKGROUND.b, cover(i, side, RADIUS * scale)};
            memcpy(pixels + (size_t)i * 4, pixel, 4);
        }
    bool is_fine = painter->corners && pixels && SDL_UpdateTexture(painter->corners, NULL, pixels, side * 4) == 0;
    SDL_free(pixels);
    return is_fine && SDL_SetTextureBlendMode(painter->corners, SDL_BLENDMODE_BLEND) == 0;
}

void paint_end(painter *painter) {
    SDL_DestroyTexture(painter->corners);
    painter->corners = NULL;
}
