/* main.c: sdimage, the command line tool; a small program that uses only the public headers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "url.h"

/* Opens a file to look at its first bytes; NULL unless it is a regular file. Those of a pipe would be lost to the
 * command, and may never come. */
static FILE *open_regular(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
}

typedef int run_function(const command_row *command, int argc, char **argv);

/* The function of a command, by the first word of its name. The table of commands does not contain it, because the
 * functions use that table. */
static run_function *function_of(const command_row *command) {
    static const struct {
        const char *name;
        run_function *run;
    } functions[] = {{"bench", run_bench},     {"cache", run_cache},       {"completion", run_completion},
                     {"convert", run_convert}, {"doctor", run_doctor},     {"frames", run_frames},
                     {"get", run_get},         {"info", run_info},         {"photos", run_photos},
                     {"play", run_play},       {"prefetch", run_prefetch}, {"thumb", run_thumb}};
    size_t length = strcspn(command->name, " ");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strlen(functions[i].name) == length && !strncmp(functions[i].name, command->name, length))
            return functions[i].run;
    }
    abort(); /* each command has a function */
}

/* True if an argument is an option, or an image file that needs no plug-in, by its contents or its name. */
static bool is_plain(const char *argument) {
    static const sdimage_format plain[] = {SDIMAGE_FORMAT_JPEG, SDIMAGE_FORMAT_PNG, SDIMAGE_FORMAT_GIF,
                                           SDIMAGE_FORMAT_WEBP, SDIMAGE_FORMAT_BMP, SDIMAGE_FORMAT_ICO,
                                           SDIMAGE_FORMAT_AVIF};
    char head[4096];
    FILE *file = is_url(argument) ? NULL : open_regular(argument);
    sdimage_format format = sdimage_format_of_name(is_url(argument) ? "" : argument);
    if (file) {
        format = sdimage_sniff(head, fread(head, 1, sizeof head, file));
        fclose(file);
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (format == plain[i])
            return true;
    }
    return *argument == '-' && argument[1];
}

/* Loading the plug-ins takes some tens of milliseconds: skipped for commands that do not use them. */
static void load_plugins(run_function *run, int argc, char **argv) {
    bool needs_plugins = run == run_doctor;
    if (run == run_cache || run == run_completion)
        return;
    for (int i = 1; i < argc && !needs_plugins; i++)
        needs_plugins = !is_plain(argv[i]);
    if (needs_plugins)
        sdimage_plugins_load_all(NULL, NULL);
}

/* The command that the first words name, and the number of these words. Returns NULL after printing a line on
 * stderr. */
static const command_row *find_command(char **argv, int *words) {
    size_t length = strlen(argv[1]);
    bool is_group = false;
    for (const command_row *row = command_rows; row->name; row++) {
        if (strncmp(row->name, argv[1], length) || (row->name[length] && row->name[length] != ' '))
            continue;
        /* A blank behind the first word: the row belongs to a group. */
        *words = row->name[length] == ' ' ? 2 : 1;
        is_group = true;
        if (*words == 1 || (argv[2] && !strcmp(row->name + length + 1, argv[2])))
            return row;
    }
    if (is_group && !argv[2])
        complain("%s: missing subcommand; see sdimage --help", argv[1]);
    else
        complain("%s%s%s: unknown command; see sdimage --help", argv[1], is_group ? " " : "", is_group ? argv[2] : "");
    return NULL;
}

/* Reports --help or -h, which every command has. */
static bool asks_for_help(const char *argument) {
    return !strcmp(argument, "--help") || !strcmp(argument, "-h");
}

/* Finds the command and runs it, or shows help. Returns the exit status. */
static int run_command(int argc, char **argv) {
    int words = 0;
    bool is_help = !strcmp(argv[1], "help");
    if (asks_for_help(argv[1]) || (is_help && !argv[2])) {
        show_help();
        return EXIT_FINE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("sdimage %s\n", sdimage_version());
        return EXIT_FINE;
    }
    /* "help cache ls" is "cache ls --help". */
    argv += is_help;
    argc -= is_help;
    if ((argv[2] ? asks_for_help(argv[2]) : is_help) && show_group_help(argv[1]))
        return EXIT_FINE;
    const command_row *command = find_command(argv, &words);
    if (!command)
        return EXIT_USAGE;
    /* argv[0] becomes the last word of the command, as getopt_long expects. */
    argc -= words;
    argv += words;
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        is_help = is_help || asks_for_help(argv[i]);
    if (is_help) {
        show_command_help(command);
        return EXIT_FINE;
    }
    /* Before the plug-ins: the isolation applies to coders that are made afterwards. */
    set_isolation_before_plugins(argc, argv);
    run_function *run = function_of(command);
    load_plugins(run, argc, argv);
    return run(command, argc, argv);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        complain("missing command; see sdimage --help");
        return EXIT_USAGE;
    }
    int status = run_command(argc, argv);
    /* A full disk or a closed pipe must not look like success. */
    if (fflush(stdout) || ferror(stdout)) {
        complain("cannot write to standard output");
        return status ? status : EXIT_NO_IMAGE;
    }
    return status;
}
