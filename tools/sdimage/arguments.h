/* arguments.h: parses arguments by the table of commands and prints the help. */
#ifndef SDIMAGE_CLI_ARGUMENTS_H
#define SDIMAGE_CLI_ARGUMENTS_H

#include <stdbool.h>

#include "commands.h"

/* The result of setting an option. */
typedef enum parse_result {
    PARSE_OK,
    PARSE_INVALID, /* the argument is invalid */
    PARSE_REPORTED /* the argument is invalid, and a line was printed on stderr */
} parse_result;

/* Calls `set_option` for every option of the command, in order, with its argument (NULL if it has none), but sets the
 * isolation itself. Then checks the number of remaining arguments, from argv[optind] on. Returns false after printing a
 * line on stderr. */
bool parse_arguments(const command_row *command, int argc, char **argv,
                     parse_result (*set_option)(void *user_data, option_id option, const char *value), void *user_data);

/* Parses a whole number from `least` to `most`, in decimal digits. */
bool parse_number(const char *text, unsigned long long least, unsigned long long most, unsigned long long *number);

/* --- Help. */

/* Shows all commands and options. */
void show_help(void);
/* Shows the commands whose names begin with this word, as "cache"; false if there is none. */
bool show_group_help(const char *group);
/* Shows the usage, the description and the options of one command. */
void show_command_help(const command_row *command);

#endif
