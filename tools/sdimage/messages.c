/* messages.c: messages and progress on stderr (see messages.h). Called on one thread only. */
#include "messages.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

/* The current line of stderr has a progress text. */
static bool has_progress;

/* Erases the progress text, so that a message begins at the start of the line. */
static void clear_progress(void) {
    if (has_progress)
        fputs("\r\033[K", stderr);
    has_progress = false;
}

void put_plain(FILE *out, const char *text) {
    for (; *text; text++)
        putc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, out);
}

void complain(const char *format, ...) {
    va_list arguments;
    char *text = NULL;
    clear_progress();
    /* Keeps messages and results in their order where both go to one file. */
    fflush(stdout);
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    fputs("sdimage: ", stderr);
    put_plain(stderr, length < 0 ? "out of memory" : text);
    fputc('\n', stderr);
    if (length >= 0)
        free(text);
}

void report_error(const char *subject, sdimage_error *error) {
    complain("%s: %s: %s", subject, sdimage_status_name(sdimage_error_code(error)), sdimage_error_message(error));
    sdimage_error_unref(error);
}

void show_progress(const char *format, ...) {
    va_list arguments;
    clear_progress();
    /* An empty text only erases the last one. */
    if (!*format || !isatty(STDERR_FILENO))
        return;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
    has_progress = true;
}
