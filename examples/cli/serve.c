/* serve.c: sdimage serve: replaces this process by the origin of the Python package. */
#include <errno.h>
#include <getopt.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* The package itself reports invalid arguments, with exit status 2. */
static const char program[] = "import sys\n"
                              "try:\n"
                              "    from sdimage import origin\n"
                              "    import argparse\n"
                              "except ImportError as error:\n"
                              "    sys.exit(f'sdimage: serve: wants the Python package sdimage: {error}')\n"
                              "parser = argparse.ArgumentParser(prog='sdimage serve')\n"
                              "origin.arguments(parser)\n"
                              "sys.exit(origin.serve(parser.parse_args()))\n";

typedef struct wish {
    char *arguments[16];
    int count;
} wish;

/* Passes options such as "--port" "80" unchanged; the Python package parses them. */
static taken take(void *user_data, option_id option, const char *value) {
    wish *wish = user_data;
    char *argument = NULL;
    unsigned long long number;
    bool is_number = option != OPTION_SERVE_FOLDER && option != OPTION_HOST;
    if (is_number && !parse_number(value, 0, option == OPTION_PORT ? 65535 : INT32_MAX, &number))
        return TAKEN_WRONG;
    if (wish->count == 10)
        return TAKEN_WRONG;
    if (asprintf(&argument, "--%s=%s", option_row_of(option)->name, value) < 0)
        return TAKEN_WRONG;
    wish->arguments[wish->count++] = argument;
    return TAKEN;
}

int run_serve(const command_row *command, int argc, char **argv) {
    static char python[] = "python3", inline_program[] = "-c", text[sizeof program];
    wish wish = {.arguments = {python, inline_program, text}, .count = 3};
    memcpy(text, program, sizeof program);
    if (parse_arguments(command, argc, argv, take, &wish)) {
        Dl_info library;
        /* The same library file as this program's. */
        if (dladdr((void *)(uintptr_t)sdimage_version, &library))
            setenv("SDIMAGE_LIBRARY", library.dli_fname, 0);
        /* Prevents imports of modules from the current folder. */
        setenv("PYTHONSAFEPATH", "1", 1);
        execvp(python, wish.arguments);
        complain("serve: python3: %s", strerror(errno));
        return EXIT_NO_IMAGE;
    }
    return EXIT_USAGE;
}
