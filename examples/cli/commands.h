/* commands.h: every command and every option in one table: --help, the reading of arguments and the completion of
 * shells are made of it. */
#ifndef SDIMAGE_CLI_COMMANDS_H
#define SDIMAGE_CLI_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum option_id {
    OPTION_END = 0,
    /* How pictures are decoded, changed and written. */
    OPTION_THUMBNAIL,
    OPTION_TRANSFORM,
    OPTION_QUALITY,
    OPTION_MAX_BYTES,
    OPTION_LOSSLESS,
    OPTION_FORMAT,
    OPTION_FIRST_FRAME,
    /* Which photo library. */
    OPTION_LIBRARY,
    OPTION_SHOTWELL,
    OPTION_DIGIKAM,
    /* The others. */
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
    OPTION_SERVE_FOLDER,
    OPTION_HOST,
    OPTION_PORT,
    OPTION_KBPS,
    OPTION_DELAY_MS,
    OPTION_JSON,
    OPTION_HELP
} option_id;

/* What an argument may be, beside words that are listed. */
#define WORDS_FILE "@file"
#define WORDS_FOLDER "@folder"
#define WORDS_ANY "@any"

/* Texts have no quotes, brackets, colons, dollars or backslashes: they stand in the files of three shells. */
typedef struct option_row {
    option_id id;
    char letter;       /* 0: it has none */
    const char *name;  /* without its dashes */
    const char *value; /* what help calls its argument; NULL: it takes none */
    const char *words; /* what the argument may be, separated by blanks; those that end in : have more behind it */
    bool is_value_optional;
    const char *about;
} option_row;

enum { MOST_OPTIONS = 16, ANY_NUMBER = 1 << 30 };

typedef struct command_row command_row;
struct command_row {
    const char *name;      /* one word, or two: "cache ls" */
    const char *arguments; /* as help shows them; "" for none */
    const char *words;     /* what they may be; NULL for none */
    int least, most;       /* how many */
    option_id required;    /* an option that must be there, or OPTION_END */
    option_id options[MOST_OPTIONS];
    int (*run)(const command_row *command, int argc, char **argv); /* argv[0] is the last word of the name */
    const char *about;
    bool is_hidden; /* of help and of completions */
};

/* Both end with a row whose name is NULL. */
extern const option_row option_rows[];
extern const command_row command_rows[];

/* The row of an option that exists. */
const option_row *option_row_of(option_id id);

/* Whether an option belongs to those that several commands share, and is shown under one name. */
bool is_picture_option(option_id id);
bool is_library_option(option_id id);

/* --- Arguments. */

/* What became of an option that was handed on. */
typedef enum taken {
    TAKEN,
    TAKEN_WRONG /* the argument is none of those */,
    TAKEN_TOLD /* as before, with a line on stderr */
} taken;

/* Hands every option of the command on, in order, with its argument, which is NULL where it has none; then checks how
 * many arguments are left, argv[optind] and those behind it. False after a line on stderr. */
bool parse_arguments(const command_row *command, int argc, char **argv,
                     taken (*take)(void *wish, option_id option, const char *value), void *wish);

/* A whole number from `least` to `most`, in decimal digits. */
bool parse_number(const char *text, unsigned long long least, unsigned long long most, unsigned long long *number);

/* --- Help. */

void show_help(void);
void show_command_help(const command_row *command);

#endif
