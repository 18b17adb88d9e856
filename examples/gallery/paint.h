/* paint.h: draws the gallery with SDL: cells with their images, and a line of text. */
#ifndef PAINT_H
#define PAINT_H

#include <SDL.h>

#include "wall.h"

typedef struct painter {
    SDL_Renderer *renderer;
    double scale;         /* pixels per point */
    int side;             /* side of a cell, in pixels */
    SDL_Texture *corners; /* overlay that makes a cell round */
} painter;

/* Prepares for another cell size. Returns false with SDL's error. */
bool paint_begin(painter *painter, int side, double scale);
void paint_end(painter *painter);

/* Draws everything: the visible cells, and the line below them. */
void paint_wall(const painter *painter, const wall *wall, int line_height);

#endif
