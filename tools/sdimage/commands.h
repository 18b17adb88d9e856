/* commands.h: the table of all commands and options, the source of --help, of argument parsing and of the shell
 * completions. */
#ifndef SDIMAGE_CLI_COMMANDS_H
#define SDIMAGE_CLI_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

/* Options. Groups are contiguous: is_image_option and its like compare with the first and last one. */
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

/* A row of the table of options. Texts must not contain quotes, brackets, colons, dollars or backslashes, because they
 * are copied into completion files of three shells. */
typedef struct option_row {
    option_id id;
    char letter;            /* 0: none */
    const char *name;       /* without its dashes */
    const char *value;      /* the argument's name in the help; NULL: no argument */
    const char *words;      /* possible arguments, separated by spaces; one that ends in : takes a parameter */
    bool is_value_optional; /* given as --name=value only */
    const char *about;      /* description in the help, an imperative */
} option_row;

/* Limit of the options of a command, and the `most` of a command without a limit of arguments. */
enum { MOST_OPTIONS = 16, ANY_NUMBER = 1 << 30 };

/* A row of the table of commands. */
typedef struct command_row {
    const char *name;                /* one word, or two: "cache ls" */
    const char *arguments;           /* as help shows them; "" for none */
    const char *words;               /* possible values; NULL for none */
    int least, most;                 /* number of arguments */
    option_id required;              /* a mandatory option, or OPTION_END */
    option_id options[MOST_OPTIONS]; /* in the order of the usage line; ends with OPTION_END */
    const char *about;
    bool is_hidden; /* from help and completions */
} command_row;

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

#endif
