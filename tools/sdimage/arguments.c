/* arguments.c: parses arguments by the table of commands and prints the help (see arguments.h). The table is in
 * commands.c; this file names no command. */
#include "arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "isolation.h"
#include "messages.h"

/* --- Reading. */

/* The getopt_long description of a command's options; `val` is the option's number, above all letters. */
enum { BEYOND_LETTERS = 256 };

/* Writes the descriptions that getopt_long requires: one of long options, and one of letters. A colon at the beginning
 * of the letters distinguishes a missing argument from an unknown option. */
static void tables_of(const command_row *command, struct option *options, char *letters) {
    *letters++ = ':';
    for (const option_id *id = command->options; *id; id++, options++) {
        const option_row *row = option_row_of(*id);
        int argument = !row->value ? no_argument : row->is_value_optional ? optional_argument : required_argument;
        *options = (struct option){row->name, argument, NULL, BEYOND_LETTERS + (int)*id};
        if (row->letter)
            *letters++ = row->letter;
        if (row->letter && row->value)
            *letters++ = ':';
    }
    *options = (struct option){NULL, 0, NULL, 0};
    *letters = '\0';
}

/* The option for a number or letter that getopt_long returned; END if there is none. */
static option_id option_of(const command_row *command, int found) {
    for (const option_id *id = command->options; *id; id++) {
        if (found == BEYOND_LETTERS + (int)*id || (found < BEYOND_LETTERS && found == option_row_of(*id)->letter))
            return *id;
    }
    return OPTION_END;
}

/* Checks that the mandatory option was given, and the number of arguments. Returns false after printing a line on
 * stderr. */
static bool check(const command_row *command, int count, bool has_required) {
    const option_row *required = option_row_of(command->required);
    if (command->required && !has_required) {
        complain("%s: option -%c %s is required; see sdimage %s --help", command->name, required->letter,
                 required->value, command->name);
        return false;
    }
    if (count >= command->least && count <= command->most)
        return true;
    complain("%s: expected %s; see sdimage %s --help", command->name,
             *command->arguments ? command->arguments : "no arguments", command->name);
    return false;
}

bool parse_arguments(const command_row *command, int argc, char **argv,
                     parse_result (*set_option)(void *user_data, option_id option, const char *value),
                     void *user_data) {
    struct option options[MOST_OPTIONS + 1];
    char letters[2 * MOST_OPTIONS + 2];
    bool has_required = false;
    tables_of(command, options, letters);
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, letters, options, NULL)) != -1;) {
        if (found == '?' || found == ':') {
            /* Options of several letters in one argument: the letter is all that is known of it. */
            const char letter[] = {'-', (char)optopt, '\0'};
            const char *name = optopt > 0 && optopt < BEYOND_LETTERS ? letter : argv[optind - 1];
            complain("%s: %s %s; see sdimage %s --help", command->name,
                     found == '?' ? "unknown option" : "missing argument of", name, command->name);
            return false;
        }
        option_id id = option_of(command, found);
        const option_row *row = option_row_of(id);
        /* The isolation applies to the process, not to a command. */
        parse_result result = id != OPTION_ISOLATION  ? set_option(user_data, id, optarg)
                              : set_isolation(optarg) ? PARSE_OK
                                                      : PARSE_INVALID;
        has_required = has_required || id == command->required;
        if (result == PARSE_INVALID)
            complain("%s: invalid argument '%s' of --%s %s: %s", command->name, optarg, row->name, row->value,
                     *row->words == '@' ? row->about : row->words);
        if (result != PARSE_OK)
            return false;
    }
    return check(command, argc - optind, has_required);
}

bool parse_number(const char *text, unsigned long long least, unsigned long long most, unsigned long long *number) {
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    /* strtoull accepts spaces and a sign, and makes -1 the largest number. */
    if (*text < '0' || *text > '9' || *end || errno || value < least || value > most)
        return false;
    *number = value;
    return true;
}

/* --- Help. */

/* Columns of the help, and of the beginning of continuation lines. */
enum { WIDTH = 100, INDENT = 15 };

/* Prints a piece on the current line, or on the next one if it does not fit. */
static void put_piece(const char *piece, int *column) {
    if (*column + 1 + (int)strlen(piece) > WIDTH) {
        printf("\n%*s", INDENT, "");
        *column = INDENT;
    }
    *column += printf(" %s", piece);
}

/* The option as help shows it: "-o OUT", "--cache DIR", "--shotwell[=DB]". */
static void name_option(const option_row *row, char *text, size_t size) {
    if (row->letter && row->value)
        snprintf(text, size, "-%c %s", row->letter, row->value);
    else if (row->value)
        snprintf(text, size, row->is_value_optional ? "--%s[=%s]" : "--%s %s", row->name, row->value);
    else
        snprintf(text, size, "--%s", row->name);
}

/* One piece for options that several commands share: all image options, and those of photo libraries. */
static const char *shared_options_name(const option_id *id) {
    if (*id == OPTION_THUMBNAIL && id[1] == OPTION_TRANSFORM)
        return "[IMAGE OPTIONS]";
    return *id == OPTION_LIBRARY ? "[LIBRARY OPTIONS]" : NULL;
}

/* Prints the usage of a command: "usage: sdimage NAME ARGUMENTS OPTIONS". */
static void put_usage(const command_row *command, const char *before) {
    int column = printf("%s sdimage %s", before, command->name);
    const char *shared = NULL;
    if (*command->arguments)
        put_piece(command->arguments, &column);
    for (const option_id *id = command->options; *id; id++) {
        char name[64], piece[80];
        if (shared_options_name(id))
            put_piece(shared = shared_options_name(id), &column);
        /* Options of a group are covered by its name. */
        if (shared && (is_image_option(*id) || is_library_option(*id)))
            continue;
        name_option(option_row_of(*id), name, sizeof name);
        snprintf(piece, sizeof piece, *id == command->required ? "%s" : "[%s]", name);
        put_piece(piece, &column);
    }
    putchar('\n');
}

/* Prints an option, its description and the words it accepts. */
static void put_option(const option_row *row) {
    char left[64];
    if (row->letter)
        snprintf(left, sizeof left, "-%c, --%s%s%s", row->letter, row->name, row->value ? " " : "",
                 row->value ? row->value : "");
    else
        name_option(row, left, sizeof left);
    printf("  %-22s %s", left, row->about);
    if (row->words && *row->words != '@' && row->id != OPTION_TRANSFORM)
        printf(": %s", row->words);
    putchar('\n');
    if (row->id == OPTION_TRANSFORM)
        puts("                         resize:WxH[:fit|fill|cover]  crop:X,Y,WxH  flip:h|v|hv  rotate:DEGREES\n"
             "                         round:RADIUS  blur:RADIUS  tint:#rrggbb[aa]  filter:NAME[,PARAMETER=NUMBER]...");
}

/* Prints the options of one command (NULL: of all commands) that satisfy `belongs`, with a title before the first. */
static void put_options(const command_row *command, const char *title, bool (*belongs)(option_id id)) {
    bool has_title = false;
    for (const option_row *row = option_rows; row->name; row++) {
        bool is_wanted = !command || row->id == OPTION_HELP;
        /* --help is an option of every command, and in no row of the table of commands. */
        for (const option_id *id = command ? command->options : NULL; id && *id; id++)
            is_wanted = is_wanted || *id == row->id;
        if (!is_wanted || !belongs(row->id))
            continue;
        if (!has_title)
            printf("\n%s:\n", title);
        has_title = true;
        put_option(row);
    }
}

static bool is_other_option(option_id id) {
    return !is_image_option(id) && !is_library_option(id);
}

static void put_all_options(const command_row *command) {
    put_options(command, "Options", is_other_option);
    put_options(command, "Image options", is_image_option);
    put_options(command, "Library options", is_library_option);
}

void show_help(void) {
    const char *before = "usage:";
    for (const command_row *row = command_rows; row->name; row++) {
        if (!row->is_hidden)
            put_usage(row, before);
        before = "      ";
    }
    puts("       sdimage --help | --version\n       sdimage COMMAND --help\n");
    for (const command_row *row = command_rows; row->name; row++) {
        if (!row->is_hidden)
            printf("%-13s %s\n", row->name, row->about);
    }
    put_all_options(NULL);
    puts("\nExit status: 0 on success, 1 if an image failed, 2 for a usage error.");
}

bool show_group_help(const char *group) {
    size_t length = strlen(group);
    const char *before = "usage:";
    for (const command_row *row = command_rows; row->name; row++) {
        if (strncmp(row->name, group, length) || row->name[length] != ' ')
            continue;
        put_usage(row, before);
        printf("           %s\n", row->about);
        before = "      ";
    }
    bool is_group = *before == ' ';
    if (is_group)
        printf("\nsdimage %s COMMAND --help explains the options.\n", group);
    return is_group;
}

void show_command_help(const command_row *command) {
    put_usage(command, "usage:");
    printf("\n%s\n", command->about);
    put_all_options(command);
}
