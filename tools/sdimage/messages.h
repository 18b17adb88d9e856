/* messages.h: messages and progress on stderr. */
#ifndef SDIMAGE_CLI_MESSAGES_H
#define SDIMAGE_CLI_MESSAGES_H

#include <stdio.h>

#include <sdimage.h>

/* Prints a text with a question mark for each control character, so that it can neither end the line nor control the
 * terminal. */
void put_plain(FILE *out, const char *text);

/* Prints one line on stderr, after any progress text. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "sdimage: SUBJECT: CODE: message" and releases the error. */
void report_error(const char *subject, sdimage_error *error);

/* Prints a line on stderr that the next one replaces; prints nothing if stderr is not a terminal. */
void show_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
