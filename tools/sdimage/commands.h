/* commands.h: the table of all commands and options, the source of --help, of argument parsing and of the shell
 * completions. */
#ifndef SDIMAGE_CLI_COMMANDS_H
#define SDIMAGE_CLI_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum option_id {
    OPTION_END = 0,
    /* Decoding, transforming and writing images. */
    OPTION_THUMBNAIL,
    OPTION_TRANSFORM,
    OPTION_QUALITY,
    OPTION_MAX_BYTES,
    OPTION_LOSSLESS,
    OPTION_FORMAT,
    OPTION_FIRST_FRAME,
    OPTION_HDR,
    OPTION_SDR,
    OPTION_HEADROOM,
    /* Selection of the photo library. */
    OPTION_LIBRARY,
    OPTION_SHOTWELL,
    OPTION_DIGIKAM,
    /* Other options. */
    OPTION_OUTPUT,
    OPTION_FOLDER,
    OPTION_SIZE,
    OPTION_CACHE,
    OPTION_NO_CACHE,
    OPTION_NAMESPACE,
    OPTION_PREFIX,
    OPTION_REPAIR,
    OPTION_JOBS,
    OPTION_LOOPS,
    OPTION_RATE,
    OPTION_SCREEN,
    OPTION_ALBUM,
    OPTION_SORT,
    OPTION_REVERSE,
    OPTION_LIMIT,
    OPTION_MEDIA,
    OPTION_SECONDS,
    OPTION_ISOLATION,
    OPTION_JSON,
    OPTION_HELP
} option_id;

/* Kinds of arguments that are not listed words. */
#define WORDS_FILE "@file"
#define WORDS_FOLDER "@folder"
#define WORDS_ANY "@any"

/* Texts must not contain quotes, brackets, colons, dollars or backslashes, because they are copied into completion
 * files of three shells. */
typedef struct option_row {
    option_id id;
    char letter;       /* 0: none */
    const char *name;  /* without its dashes */
    const char *value; /* the argument's name in the help; NULL: no argument */
    const char *words; /* possible arguments, separated by spaces; one that ends in : takes a parameter */
    bool is_value_optional;
    const char *about;
} option_row;

enum { MOST_OPTIONS = 16, ANY_NUMBER = 1 << 30 };

typedef struct command_row command_row;
struct command_row {
    const char *name;      /* one word, or two: "cache ls" */
    const char *arguments; /* as help shows them; "" for none */
    const char *words;     /* possible values; NULL for none */
    int least, most;       /* number of arguments */
    option_id required;    /* a mandatory option, or OPTION_END */
    option_id options[MOST_OPTIONS];
    int (*run)(const command_row *command, int argc, char **argv); /* argv[0] is the last word of the name */
    const char *about;
    bool is_hidden; /* from help and completions */
};

/* Both tables end with a row whose name is NULL. */
extern const option_row option_rows[];
extern const command_row command_rows[];

/* The row of an option, which must exist. */
const option_row *option_row_of(option_id id);

/* True for options that several commands share and that help groups under one name. */
bool is_image_option(option_id id);
bool is_library_option(option_id id);
/* True for options that choose between HDR and SDR, which set_image_option sets, too. */
bool is_rendition_option(option_id id);

/* --- Arguments. */

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

void show_help(void);
void show_command_help(const command_row *command);

#endif
