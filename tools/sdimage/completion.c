/* completion.c: sdimage completion: generates the completions of commands, options and arguments for bash, zsh and
 * fish. The installed files in completion/ are its output. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* Length of the group's name ("cache" of "cache ls"), 0 for a command of one word; and true for the first row of a
 * group. */
static size_t group_length(const command_row *row) {
    const char *blank = strchr(row->name, ' ');
    return blank ? (size_t)(blank - row->name) : 0;
}

static bool begins_group(const command_row *row) {
    size_t length = group_length(row);
    return length && (row == command_rows || strncmp(row[-1].name, row->name, length + 1));
}

static const char *last_word(const command_row *row) {
    size_t length = group_length(row);
    return row->name + (length ? length + 1 : 0);
}

static const char *group_about(const command_row *row) {
    return !strncmp(row->name, "cache", 5) ? "looks into a disk cache, and removes from it"
                                           : "lists photos and makes thumbnails";
}

/* --- bash */

static const char bash_head[] =
    "# Completion of sdimage for bash; made by: sdimage completion bash\n"
    "\n"
    "# Offers words, files or folders. Files are left to readline, which knows how to quote them.\n"
    "_sdimage_offer() {\n"
    "    case $1 in\n"
    "        @file) ;;\n"
    "        @folder) compopt -o dirnames +o default 2>/dev/null ;;\n"
    "        @any | '') compopt +o default 2>/dev/null ;;\n"
    "        *)\n"
    "            compopt +o default 2>/dev/null\n"
    "            COMPREPLY=($(compgen -W \"$1\" -- \"$2\"))\n"
    "            [[ ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null\n"
    "            ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "_sdimage() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local command=${COMP_WORDS[1]} options='' words='' value='' has_value=''\n"
    "    COMPREPLY=()\n"
    "    # --option=value comes as three words.\n"
    "    if [[ $current == = ]]; then\n"
    "        current=''\n"
    "    elif [[ $before == = ]]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    if ((COMP_CWORD == 1)); then\n";

static const char bash_tail[] = "    esac\n"
                                "    if [[ $has_value ]]; then\n"
                                "        _sdimage_offer \"$value\" \"$current\"\n"
                                "    elif [[ $current == -* ]]; then\n"
                                "        _sdimage_offer \"$options\" \"$current\"\n"
                                "    else\n"
                                "        _sdimage_offer \"$words\" \"$current\"\n"
                                "    fi\n"
                                "}\n"
                                "complete -o default -F _sdimage sdimage\n";

/* The words after `group`, or the first words for NULL. */
static void bash_words(const command_row *group) {
    const char *blank = "";
    for (const command_row *row = command_rows; row->name; row++) {
        size_t length = group_length(row);
        bool is_first = !group && !row->is_hidden && (!length || begins_group(row));
        bool is_member = group && length && !strncmp(row->name, group->name, length + 1);
        if (is_first && length)
            printf("%s%.*s", blank, (int)length, row->name);
        else if (is_first || is_member)
            printf("%s%s", blank, last_word(row));
        if (is_first || is_member)
            blank = " ";
    }
}

static void bash_command(const command_row *row) {
    printf("        '%s')\n            words='%s'\n            options='", row->name, row->words ? row->words : "");
    for (const option_id *id = row->options; *id; id++) {
        const option_row *option = option_row_of(*id);
        if (option->letter)
            printf("-%c ", option->letter);
        printf("--%s ", option->name);
    }
    puts("--help'\n            case $before in");
    for (const option_id *id = row->options; *id; id++) {
        const option_row *option = option_row_of(*id);
        if (!option->value || option->is_value_optional)
            continue;
        printf("                ");
        if (option->letter)
            printf("-%c | ", option->letter);
        printf("--%s) has_value=1 value='%s' ;;\n", option->name, option->words);
    }
    puts("            esac\n            ;;");
}

static void put_bash(void) {
    fputs(bash_head, stdout);
    printf("        _sdimage_offer '");
    bash_words(NULL);
    puts(" --help --version' \"$current\"\n        return\n    fi\n    case $command in");
    for (const command_row *row = command_rows; row->name; row++) {
        if (!begins_group(row))
            continue;
        printf("        %.*s)\n            if ((COMP_CWORD == 2)); then\n                _sdimage_offer '",
               (int)group_length(row), row->name);
        bash_words(row);
        puts("' \"$current\"\n                return\n            fi\n            command+=\" ${COMP_WORDS[2]}\"\n     "
             "       ;;");
    }
    puts("    esac\n    case $command in");
    for (const command_row *row = command_rows; row->name; row++) {
        if (!row->is_hidden)
            bash_command(row);
    }
    fputs(bash_tail, stdout);
}

/* --- zsh */

static const char *zsh_action(const char *words, char *text, size_t size) {
    if (!words || !strcmp(words, WORDS_ANY))
        return " ";
    if (!strcmp(words, WORDS_FILE))
        return "_files";
    if (!strcmp(words, WORDS_FOLDER))
        return "_files -/";
    /* A colon separates the parts of a specification; a word that ends in one has a continuation. */
    if (strchr(words, ':'))
        return "_sdimage_transforms";
    snprintf(text, size, "(%s)", words);
    return text;
}

static void zsh_option(const option_row *option) {
    char text[160];
    if (option->letter)
        printf("        '(-%c --%s)'{-%c+,--%s=}'", option->letter, option->name, option->letter, option->name);
    else
        printf("        '%s--%s%s", option->id == OPTION_TRANSFORM ? "*" : "", option->name,
               !option->value              ? ""
               : option->is_value_optional ? "=-"
                                           : "=");
    printf("[%s]", option->about);
    if (option->value)
        printf("%s:%s:%s", option->is_value_optional ? ":" : "", option->value,
               zsh_action(option->words, text, sizeof text));
    puts("' \\");
}

static void zsh_command(const command_row *row) {
    char text[160];
    printf("    '%s')\n        _arguments -s \\\n", row->name);
    for (const option_id *id = row->options; *id; id++)
        zsh_option(option_row_of(*id));
    printf("        '--help[print help]'");
    for (int i = 1; row->words && i <= row->most && i <= 2; i++) {
        /* "*:" means any number of arguments. */
        if (row->most == ANY_NUMBER)
            printf(" \\\n        '*:%s:%s'", row->arguments, zsh_action(row->words, text, sizeof text));
        else
            printf(" \\\n        '%d:%s:%s'", i, row->arguments, zsh_action(row->words, text, sizeof text));
        if (row->most == ANY_NUMBER)
            break;
    }
    puts("\n        ;;");
}

/* Names and descriptions of a group's commands, or of the first words. */
static void zsh_names(const command_row *group) {
    for (const command_row *row = command_rows; row->name; row++) {
        size_t length = group_length(row);
        if (group && length && !strncmp(row->name, group->name, length + 1))
            printf("        '%s:%s'\n", last_word(row), row->about);
        else if (!group && begins_group(row))
            printf("        '%.*s:%s'\n", (int)length, row->name, group_about(row));
        else if (!group && !length && !row->is_hidden)
            printf("        '%s:%s'\n", row->name, row->about);
    }
}

static void put_zsh(void) {
    puts("#compdef sdimage\n"
         "# Completion of sdimage for zsh; made by: sdimage completion zsh\n\n"
         "_sdimage_transforms() {");
    printf("    local -a transforms=(%s)\n", option_row_of(OPTION_TRANSFORM)->words);
    puts("    compadd -S '' -- $transforms\n"
         "}\n\n"
         "_sdimage() {\n"
         "    local command=$words[2] first=2\n"
         "    local -a names=(");
    zsh_names(NULL);
    puts("    )\n"
         "    if ((CURRENT == 2)); then\n"
         "        if [[ $PREFIX == -* ]]; then\n"
         "            compadd -- --help --version\n"
         "        else\n"
         "            _describe -t commands command names\n"
         "        fi\n"
         "        return\n"
         "    fi\n"
         "    case $command in");
    for (const command_row *row = command_rows; row->name; row++) {
        if (!begins_group(row))
            continue;
        printf("    %.*s)\n        names=(\n", (int)group_length(row), row->name);
        zsh_names(row);
        puts("        )\n"
             "        if ((CURRENT == 3)); then\n"
             "            _describe -t commands command names\n"
             "            return\n"
             "        fi\n"
             "        command+=\" $words[3]\"\n"
             "        first=3\n"
             "        ;;");
    }
    puts("    esac\n"
         "    # The rest counts from the last word of the command.\n"
         "    words=(\"${(@)words[first,-1]}\")\n"
         "    ((CURRENT -= first - 1))\n"
         "    case $command in");
    for (const command_row *row = command_rows; row->name; row++) {
        if (!row->is_hidden)
            zsh_command(row);
    }
    puts("    esac\n}\n\n_sdimage \"$@\"");
}

/* --- fish */

static void fish_words(const char *words) {
    if (!strcmp(words, WORDS_FILE))
        printf(" -F");
    else if (!strcmp(words, WORDS_FOLDER))
        printf(" -a '(__fish_complete_directories (commandline -ct))'");
    else if (strcmp(words, WORDS_ANY))
        printf(" -a '%s'", words);
}

static void fish_command(const command_row *row) {
    size_t length = group_length(row);
    if (begins_group(row))
        printf("\ncomplete -c sdimage -n __sdimage_is_first -a %.*s -d '%s'\n", (int)length, row->name,
               group_about(row));
    if (length)
        printf("complete -c sdimage -n '__sdimage_is_behind %.*s' -a %s -d '%s'\n", (int)length, row->name,
               last_word(row), row->about);
    else
        printf("\ncomplete -c sdimage -n __sdimage_is_first -a %s -d '%s'\n", row->name, row->about);
    if (row->words && strcmp(row->words, WORDS_ANY)) {
        printf("complete -c sdimage -n '__sdimage_is %s'", row->name);
        fish_words(row->words);
        putchar('\n');
    }
    for (const option_id *id = row->options; *id; id++) {
        const option_row *option = option_row_of(*id);
        printf("complete -c sdimage -n '__sdimage_is %s' -l %s", row->name, option->name);
        if (option->letter)
            printf(" -s %c", option->letter);
        if (option->value && !option->is_value_optional) {
            /* -x: only the listed words; -r: an argument is required. */
            printf(strcmp(option->words, WORDS_FILE) ? " -x" : " -r");
            fish_words(option->words);
        }
        printf(" -d '%s'\n", option->about);
    }
}

static void put_fish(void) {
    puts("# Completion of sdimage for fish; made by: sdimage completion fish\n\n"
         "function __sdimage_is_first\n"
         "    test (count (commandline -opc)) -eq 1\n"
         "end\n\n"
         "function __sdimage_is_behind\n"
         "    set -l words (commandline -opc)\n"
         "    test (count $words) -eq 2; and test \"$words[2]\" = $argv[1]\n"
         "end\n\n"
         "function __sdimage_is\n"
         "    set -l words (commandline -opc)\n"
         "    test (count $words) -gt (count $argv); or return 1\n"
         "    set -l last (math 1 + (count $argv))\n"
         "    test \"$words[2..$last]\" = \"$argv\"\n"
         "end\n\n"
         "complete -c sdimage -f\n"
         "complete -c sdimage -n __sdimage_is_first -l version -d 'print the version'\n"
         "complete -c sdimage -l help -d 'print help'");
    for (const command_row *row = command_rows; row->name; row++) {
        if (!row->is_hidden)
            fish_command(row);
    }
}

static taken take(void *wish, option_id option, const char *value) {
    (void)wish, (void)option, (void)value;
    return TAKEN_WRONG;
}

int run_completion(const command_row *command, int argc, char **argv) {
    static const struct {
        const char *name;
        void (*put)(void);
    } shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
    if (!parse_arguments(command, argc, argv, take, NULL))
        return EXIT_USAGE;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (!strcmp(argv[optind], shells[i].name)) {
            shells[i].put();
            return EXIT_FINE;
        }
    }
    complain("completion: %s: no such shell; bash, zsh or fish", argv[optind]);
    return EXIT_USAGE;
}
