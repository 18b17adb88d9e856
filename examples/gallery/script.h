/* script.h: the arguments of both programs, and what a program does by itself when it is told to.
 *
 *   --script 'settle, fling 40, settle, shot FILE, print'
 *
 *   row N         scrolls to that row          fling N       scrolls by N rows, drawing on the way; back where N is
 * negative settle        waits until all is there     progress P    waits until P percent have come of what is being
 * loaded frames N      waits for N more frames      shot FILE     writes what the window shows print         a line for
 * each cell         hide, show    as if the window were minimised
 *
 * At its end the program ends. What does not come true within a minute is an error. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "wall.h"

typedef struct script {
    const char *program;
    uint32_t width, height; /* of the window, in points */
    const char *folder;     /* of the cache; NULL: memory only */
    bool is_scripted;
    char *commands;      /* those that are left; NULL: none */
    const char *command; /* the one that runs; NULL: none */
    const char *argument;
    int64_t all, left; /* steps of it, from where; or frames at its end */
    int64_t from;
    uint64_t deadline; /* nanoseconds */
    int exit_status;
} script;

typedef enum script_act {
    SCRIPT_WAIT, /* go on, and ask again */
    SCRIPT_SHOT, /* write the picture that `argument` names, and ask again */
    SCRIPT_END   /* leave with `exit_status` */
} script_act;

/* Reads arguments and list. False: leave with `exit_status`; what is wrong was said. */
bool script_begin(script *script, wall *wall, int argc, char **argv);
/* What to do now; to be asked after each drawing, and at least at every refresh of the screen. */
script_act script_step(script *script, wall *wall);
/* For a step of the program that went wrong. */
void script_fail(script *script, const char *what, const char *why);

#endif
