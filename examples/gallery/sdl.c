/* sdl.c: the gallery in SDL 2.
 *
 *   gallery-sdl [--cell POINTS] [--size WIDTHxHEIGHT] [--cache FOLDER] [--script COMMANDS] [--list FILE] [URL...]
 *
 * Wheel, arrows, Page Up and Down, Home and End scroll; Escape quits. The library's descriptor wakes SDL's loop
 * through an event, and the loop sleeps while nothing changes.
 *
 * cc sdl.c paint.c wall.c cell.c list.c script.c $(pkg-config --cflags --libs sdimage sdl2) */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <SDL.h>

#include "paint.h"
#include "script.h"
#include "wall.h"

enum { REFRESH_MS = 16, STATUS_LINE = 28 };

typedef struct program {
    wall wall;
    script script;
    SDL_Window *window;
    painter painter;
    bool is_dirty, is_over;
    Uint32 wake; /* the event type that announces queued callbacks */
    int quit[2]; /* a pipe; closing it ends the watching thread */
    SDL_sem *drained;
    SDL_Thread *watcher;
} program;

static void changed(void *window) {
    ((program *)window)->is_dirty = true;
}

static int complain(const char *what) {
    fprintf(stderr, "gallery-sdl: %s: %s\n", what, SDL_GetError());
    return 1;
}

/* --- Drawing. */

/* Writes the frame before it is presented: afterwards its pixels may be gone. */
static void shoot(program *program, const char *path) {
    int width = 0, height = 0;
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    void *pixels = NULL;
    if (SDL_GetRendererOutputSize(program->painter.renderer, &width, &height) == 0)
        pixels = SDL_malloc((size_t)width * 4 * (size_t)height);
    if (!pixels || SDL_RenderReadPixels(program->painter.renderer, NULL, SDL_PIXELFORMAT_RGBA32, pixels, width * 4) < 0)
        script_fail(&program->script, path, SDL_GetError());
    else if (sdimage_image_new((uint32_t)width, (uint32_t)height, (size_t)width * 4, SDIMAGE_PIXEL_FORMAT_RGBA8, pixels,
                               &image, &error) < 0 ||
             sdimage_encode_file(image, path, SDIMAGE_FORMAT_PNG, NULL, &error) < 0)
        script_fail(&program->script, path, sdimage_error_message(error));
    sdimage_error_unref(error);
    sdimage_image_unref(image);
    SDL_free(pixels);
}

static void draw(program *program, const char *shot) {
    paint_wall(&program->painter, &program->wall, STATUS_LINE);
    if (shot)
        shoot(program, shot);
    SDL_RenderPresent(program->painter.renderer);
    program->is_dirty = false;
}

/* --- Events. */

/* Wakes the loop when the library has queued callbacks, and waits until they are drained. */
static int watch(void *user_data) {
    program *program = user_data;
    struct pollfd watched[2] = {{.fd = sdimage_dispatcher_descriptor(program->wall.loop), .events = POLLIN},
                                {.fd = program->quit[0], .events = POLLIN}};
    while (poll(watched, 2, -1) >= 0 || errno == EINTR) {
        if (watched[1].revents)
            return 0;
        if (SDL_PushEvent(&(SDL_Event){.type = program->wake}) > 0)
            SDL_SemWait(program->drained);
        else
            SDL_Delay(1); /* the event queue is full */
    }
    return 1;
}

static void resize(program *program) {
    int width = 0, height = 0, pixels = 0;
    SDL_GetWindowSize(program->window, &width, &height);
    SDL_GetRendererOutputSize(program->painter.renderer, &pixels, NULL);
    double scale = width > 0 ? (double)pixels / width : 1;
    height = height > STATUS_LINE ? height - STATUS_LINE : 1;
    wall_resize(&program->wall, (uint32_t)SDL_max(width, 1), (uint32_t)height, scale);
    if (!paint_begin(&program->painter, (int)program->wall.pixel_side, scale))
        script_fail(&program->script, "the renderer", SDL_GetError());
}

static void press(program *program, SDL_Keycode key) {
    wall *wall = &program->wall;
    int64_t row = wall_row_height(wall), page = (int64_t)wall->height;
    int64_t step = key == SDLK_DOWN       ? row
                   : key == SDLK_UP       ? -row
                   : key == SDLK_PAGEDOWN ? page
                   : key == SDLK_PAGEUP   ? -page
                                          : 0;
    program->is_over = program->is_over || key == SDLK_ESCAPE;
    if (step != 0 || key == SDLK_HOME || key == SDLK_END)
        wall_scroll(wall, key == SDLK_HOME ? 0 : key == SDLK_END ? INT64_MAX : wall->top + step);
}

static void handle(program *program, const SDL_Event *event) {
    if (event->type == program->wake) {
        sdimage_dispatcher_drain(program->wall.loop);
        SDL_SemPost(program->drained);
    } else if (event->type == SDL_QUIT) {
        program->is_over = true;
    } else if (event->type == SDL_KEYDOWN) {
        press(program, event->key.keysym.sym);
    } else if (event->type == SDL_MOUSEWHEEL) {
        wall_scroll(&program->wall, program->wall.top - (int64_t)(event->wheel.preciseY * 60));
    } else if (event->type == SDL_WINDOWEVENT) {
        Uint8 what = event->window.event;
        if (what == SDL_WINDOWEVENT_SIZE_CHANGED)
            resize(program);
        else if (what == SDL_WINDOWEVENT_MINIMIZED || what == SDL_WINDOWEVENT_RESTORED)
            wall_set_shown(&program->wall, what == SDL_WINDOWEVENT_RESTORED);
        program->is_dirty = true;
    }
}

/* Draws changes, at most once per refresh, and sleeps while there is nothing to do. */
static void run(program *program) {
    Uint64 drawn = 0;
    while (!program->is_over) {
        Uint64 since = SDL_GetTicks64() - drawn;
        bool is_fading = wall_is_fading(&program->wall);
        if ((program->is_dirty || is_fading) && since >= REFRESH_MS) {
            draw(program, NULL);
            drawn = SDL_GetTicks64();
            since = 0;
        }
        script_act act;
        while ((act = script_step(&program->script, &program->wall)) == SCRIPT_SHOT)
            draw(program, program->script.argument);
        program->is_over = act == SCRIPT_END;
        bool has_more = program->is_dirty || is_fading || program->script.is_scripted;
        SDL_Event event;
        int found = SDL_WaitEventTimeout(&event, program->is_over ? 0
                                                 : has_more       ? (int)(REFRESH_MS - SDL_min(since, REFRESH_MS - 1))
                                                                  : -1);
        for (; found; found = SDL_PollEvent(&event))
            handle(program, &event);
    }
}

/* --- Beginning and end. */

static int open_window(program *program) {
    SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "linear");
    Uint32 flags = SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI;
    program->window = SDL_CreateWindow("sdimage", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED,
                                       (int)program->script.width, (int)program->script.height, flags);
    program->painter.renderer = program->window ? SDL_CreateRenderer(program->window, -1, 0) : NULL;
    program->wake = SDL_RegisterEvents(1);
    program->drained = SDL_CreateSemaphore(0);
    if (!program->painter.renderer || program->wake == (Uint32)-1 || !program->drained)
        return complain("no window");
    return 0;
}

static int start(program *program) {
    if (wall_open(&program->wall, program->script.folder) < 0) {
        script_fail(&program->script, "the library", sdimage_error_message(program->wall.error));
        return 1;
    }
    if (pipe(program->quit) < 0 || !(program->watcher = SDL_CreateThread(watch, "watch", program)))
        return complain("no thread");
    resize(program);
    run(program);
    return program->script.exit_status;
}

static void stop(program *program) {
    if (program->watcher) {
        close(program->quit[1]);
        SDL_SemPost(program->drained);
        SDL_WaitThread(program->watcher, NULL);
        close(program->quit[0]);
    }
    for (size_t i = 0; i < program->wall.cell_count; i++) {
        SDL_DestroyTexture(program->wall.cells[i]->now.drawn);
        SDL_DestroyTexture(program->wall.cells[i]->before.drawn);
    }
    wall_close(&program->wall);
    paint_end(&program->painter);
    SDL_DestroySemaphore(program->drained);
    SDL_DestroyRenderer(program->painter.renderer);
    SDL_DestroyWindow(program->window);
}

int main(int argc, char **argv) {
    static program program;
    program.wall.pixel_format = SDIMAGE_PIXEL_FORMAT_RGBA8;
    program.wall.changed = changed;
    program.wall.window = &program;
    if (!script_begin(&program.script, &program.wall, argc, argv)) {
        wall_close(&program.wall);
        return program.script.exit_status;
    }
    int code = SDL_Init(SDL_INIT_VIDEO) < 0 ? complain("SDL") : open_window(&program);
    if (code == 0)
        code = start(&program);
    stop(&program);
    SDL_Quit();
    return code;
}
