/* script.c: arguments and scripts of both programs. */
#include "script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 3, PATIENCE = 300 }; /* steps of a fling per row; seconds */

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void script_fail(script *script, const char *what, const char *why) {
    fprintf(stderr, "%s: %s: %s\n", script->program, what, why);
    script->exit_status = 1;
}

/* --- Arguments. */

static bool usage(script *script) {
    fprintf(
        stderr,
        "usage: %s [--cell POINTS] [--size WIDTHxHEIGHT] [--cache FOLDER] [--script COMMANDS] [--list FILE] [URL...]\n",
        script->program);
    script->exit_status = 2;
    return false;
}

static bool read_list(script *script, wall *wall, const char *path) {
    FILE *list = fopen(path, "r");
    bool is_fine = list && list_read(wall, list);
    if (!is_fine)
        script_fail(script, path, strerror(errno));
    if (list)
        fclose(list);
    return is_fine;
}

bool script_begin(script *script, wall *wall, int argc, char **argv) {
    *script = (struct script){.program = argv[0], .width = 1200, .height = 800};
    wall->side = 180;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) != 0) {
            if (!list_add(wall, argv[i])) {
                script_fail(script, argv[i], strerror(errno));
                return false;
            }
            continue;
        }
        const char *option = argv[i], *value = ++i < argc ? argv[i] : NULL;
        if (!value)
            return usage(script);
        if (strcmp(option, "--list") == 0) {
            if (!read_list(script, wall, value))
                return false;
        } else if (strcmp(option, "--cell") == 0) {
            wall->side = (uint32_t)strtoul(value, NULL, 10);
        } else if (strcmp(option, "--size") == 0) {
            if (sscanf(value, "%" SCNu32 "x%" SCNu32, &script->width, &script->height) != 2)
                return usage(script);
        } else if (strcmp(option, "--cache") == 0) {
            script->folder = value;
        } else if (strcmp(option, "--script") == 0) {
            script->commands = argv[i];
            script->is_scripted = true;
        } else {
            return usage(script);
        }
    }
    bool is_possible = wall->side >= 16 && wall->side <= 4096 && script->width >= 16 && script->width <= 16384 &&
                       script->height >= 16 && script->height <= 16384;
    return (is_possible && wall->item_count > 0) || usage(script);
}

/* --- Conditions. */

/* True if no visible cell fades or loads. With `fraction` below 1, a loading cell needs only that progress. */
static bool has_come(const wall *wall, double fraction) {
    int64_t x, y;
    for (size_t i = 0; i < wall->cell_count; i++) {
        const wall_cell *cell = wall->cells[i];
        if (wall_place(wall, cell, &x, &y) && (cell->fade_start || cell->state == WALL_LOADING) &&
            (fraction >= 1 || cell->fade_start || cell->progress < fraction))
            return false;
    }
    return true;
}

/* Positions are in pixels. A missing image has no size. */
static void print_cell(const wall *wall, const wall_cell *cell, int64_t x, int64_t y) {
    double scale = (double)wall->pixel_side / wall->side;
    const char *state = cell->fade_start ? "fading" : cell->state == WALL_LOADING ? "loading" : "shown";
    if (cell->state == WALL_FAILED)
        state = sdimage_status_name(cell->error);
    const sdimage_image *image = cell->now.image;
    printf("cell %zu %.0f %.0f %" PRIu32 " %s %" PRIu32 "x%" PRIu32 " %" PRIu64 " %.2f %s\n", cell->item,
           (double)x * scale, (double)y * scale, wall->pixel_side, state, sdimage_image_width(image),
           sdimage_image_height(image), cell->frames, cell->progress, wall->items[cell->item].url);
}

static void print(const wall *wall) {
    int64_t x, y;
    for (size_t i = 0; i < wall->cell_count; i++)
        if (wall_place(wall, wall->cells[i], &x, &y))
            print_cell(wall, wall->cells[i], x, y);
    char text[128];
    wall_describe(wall, text, sizeof text);
    printf("wall %zu cells, %zu loads, %zu frames, %zu fetched; %s\n", wall->cell_count, wall->loads, wall->frames,
           wall->fetched, text);
    fflush(stdout);
}

/* --- Commands. */

/* Begins the next command; returns false at the end. */
static bool next(script *script, const wall *wall) {
    static const char blanks[] = " \t\n";
    char *text = strsep(&script->commands, ","), *rest = NULL;
    if (!text)
        return false;
    script->command = strtok_r(text, blanks, &rest);
    if (!script->command)
        script->command = "";
    script->argument = strtok_r(NULL, blanks, &rest);
    script->deadline = now() + PATIENCE * 1000000000ull;
    int64_t number = script->argument ? strtoll(script->argument, NULL, 10) : 0;
    script->left = script->all = strcmp(script->command, "fling") == 0 ? number * STEPS : number;
    script->from = wall->top;
    if (strcmp(script->command, "frames") == 0)
        script->left += (int64_t)wall->frames;
    return true;
}

/* Returns true when the command is complete. */
static bool run(script *script, wall *wall) {
    const char *command = script->command;
    if (strcmp(command, "settle") == 0)
        return has_come(wall, 1);
    if (strcmp(command, "progress") == 0)
        return has_come(wall, (double)script->left / 100);
    if (strcmp(command, "frames") == 0)
        return (int64_t)wall->frames >= script->left;
    if (strcmp(command, "fling") == 0) {
        script->left -= (script->left > 0) - (script->left < 0);
        wall_scroll(wall, script->from + (script->all - script->left) * wall_row_height(wall) / STEPS);
        return script->left == 0;
    }
    if (strcmp(command, "row") == 0)
        wall_scroll(wall, script->left * wall_row_height(wall));
    else if (strcmp(command, "hide") == 0 || strcmp(command, "show") == 0)
        wall_set_shown(wall, command[0] == 's');
    else if (strcmp(command, "print") == 0)
        print(wall);
    else
        script_fail(script, command, "no such command");
    return true;
}

script_act script_step(script *script, wall *wall) {
    if (wall->status < 0) {
        script_fail(script, sdimage_status_name(wall->status), wall->error ? sdimage_error_message(wall->error) : "");
        return SCRIPT_END;
    }
    if (!script->is_scripted)
        return script->exit_status ? SCRIPT_END : SCRIPT_WAIT;
    while (script->exit_status == 0) {
        if (!script->command && !next(script, wall))
            return SCRIPT_END;
        if (strcmp(script->command, "shot") == 0 && script->argument) {
            script->command = NULL;
            return SCRIPT_SHOT;
        }
        if (!run(script, wall)) {
            if (now() < script->deadline)
                return SCRIPT_WAIT;
            script_fail(script, script->command, "it does not come true");
        }
        script->command = NULL;
    }
    return SCRIPT_END;
}
