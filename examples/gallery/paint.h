/* paint.h: how the gallery looks in SDL: cells, with what their pictures need, and a line of text. */
#ifndef PAINT_H
#define PAINT_H

#include <SDL.h>

#include "wall.h"

typedef struct painter {
    SDL_Renderer *renderer;
    double scale;         /* pixels for a point */
    int side;             /* of a cell, in pixels */
    SDL_Texture *corners; /* over a cell, which is round below it */
} painter;

/* For another size of cells. False with SDL's error. */
bool paint_begin(painter *painter, int side, double scale);
void paint_end(painter *painter);

/* Everything: the cells that can be seen, and the line below them. */
void paint_wall(const painter *painter, const wall *wall, int line_height);

#endif
