/* script.h: the arguments of both programs, and the commands of a script.
 *
 *   --script 'settle, fling 40, settle, shot FILE, print'
 *
 *   row N         scrolls to that row
 *   fling N       scrolls by N rows, drawing on the way; back if N is negative
 *   settle        waits until all images are there
 *   progress P    waits until P percent of the loading images have arrived
 *   frames N      waits for N more frames
 *   shot FILE     writes the contents of the window
 *   print         prints a line for each cell
 *   hide, show    as if the window were minimized
 *
 * The program ends after the last command. A condition that is not met within a minute is an error. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "wall.h"

typedef struct script {
    const char *program;
    uint32_t width, height; /* size of the window, in points */
    const char *folder;     /* folder of the cache; NULL: memory only */
    bool is_scripted;
    char *commands;      /* remaining ones; NULL: none */
    const char *command; /* the current one; NULL: none */
    const char *argument;
    int64_t all, left; /* number of steps, and steps left; or the frame count to wait for */
    int64_t from;
    uint64_t deadline; /* nanoseconds */
    int exit_status;
} script;

typedef enum script_act {
    SCRIPT_WAIT, /* continue, and call again */
    SCRIPT_SHOT, /* write an image to the path `argument`, and call again */
    SCRIPT_END   /* exit with `exit_status` */
} script_act;

/* Reads the arguments and the list. On false the program must exit with `exit_status`; the error has been printed. */
bool script_begin(script *script, wall *wall, int argc, char **argv);
/* Returns the next action. Call it after each drawing, and at least once per screen refresh. */
script_act script_step(script *script, wall *wall);
/* Reports that a step of the program failed. */
void script_fail(script *script, const char *what, const char *why);

#endif
