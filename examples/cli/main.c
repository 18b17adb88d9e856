/* main.c: sdimage, pictures on the command line; a small program on the public headers alone. */
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static const char usage[] =
    "usage: sdimage get URL... [-o OUT] [PICTURE OPTIONS] [--cache DIR | --no-cache] [--json]\n"
    "       sdimage convert IN OUT [PICTURE OPTIONS]\n"
    "       sdimage frames FILE -o DIR [PICTURE OPTIONS]\n"
    "       sdimage play FILE|URL [--loops N] [--rate R] [--screen blocks|sixel|kitty]\n"
    "       sdimage prefetch LIST [--jobs N] [--thumbnail WxH] [--cache DIR]\n"
    "       sdimage cache ls [--prefix TEXT] | du | path KEY | rm KEY... | clear | trim BYTES | verify [--repair]\n"
    "               [--cache DIR] [--namespace NAME] [--json]\n"
    "       sdimage photos ls [--album A] [--sort date|name|size|modified] [--reverse] [--limit N]\n"
    "               [--media image|video|audio] [LIBRARY] [--json]\n"
    "       sdimage photos thumb ID -o OUT [--size WxH] [LIBRARY]\n"
    "       sdimage info FILE... [--json]\n"
    "       sdimage doctor [--json]\n"
    "       sdimage --help | --version\n"
    "\n"
    "get     loads pictures from http, https, file and data URLs, or files, several at once\n"
    "        -o, --output OUT   keep the encoded bytes; with picture options the picture made of them, and\n"
    "                           where OUT ends in .ppm or .pam the pixels; a folder when there are several\n"
    "                           URLs; - for standard output\n"
    "        --cache DIR        folder of the disk cache; --no-cache: neither read nor write one\n"
    "convert writes a picture, moving ones too, in the format that OUT's extension says\n"
    "frames  writes each frame of a picture into a folder\n"
    "play    shows a picture on the terminal, moving where it moves; q ends, a space stops and goes on\n"
    "prefetch loads the URLs and files named in LIST, one a line, into the disk cache; - for standard input\n"
    "        --jobs N           as many at once, 6 otherwise\n"
    "cache   lists a disk cache, tells its size, removes from it, checks it\n"
    "photos  lists the photos of the Pictures folder under the names that stay when files move, and makes\n"
    "        thumbnails of them; LIBRARY is --library DIR, --shotwell[=DB] or --digikam[=DB]\n"
    "info    tells what the headers of files say\n"
    "doctor  tells version, formats, libraries and limits: what a bug report starts with\n"
    "\n"
    "Picture options:\n"
    "  --thumbnail WxH    decode into a box of that many pixels\n"
    "  --transform WHAT   resize:WxH[:fill|fit|cover]  crop:X,Y,WxH  flip:h|v|hv  rotate:DEGREES  round:RADIUS\n"
    "                     blur:RADIUS  tint:#rrggbb[aa]  filter:NAME[,PARAMETER=NUMBER]...; again for more\n"
    "  --quality Q        0 to 1; --max-bytes N: the best quality that fits; --lossless\n"
    "  --format NAME      jpeg, png, gif, webp, bmp, ico, heic, avif, jxl: in place of the extension's\n"
    "  --first-frame      make a still of an animation\n"
    "\n"
    "--json  prints one JSON object a line\n"
    "\n"
    "Exit status: 0, 1 for an image that cannot be had, 2 for wrong usage.\n";

static const char *const later[] = {"bench"};

static bool has_progress;

static void clear_progress(void) {
    if (has_progress)
        fputs("\r\033[K", stderr);
    has_progress = false;
}

void complain(const char *format, ...) {
    va_list arguments;
    clear_progress();
    fflush(stdout);
    fputs("sdimage: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void complain_of(const char *subject, sdimage_error *error) {
    complain("%s: %s: %s", subject, sdimage_status_name(sdimage_error_code(error)), sdimage_error_message(error));
    sdimage_error_unref(error);
}

void show_progress(const char *format, ...) {
    va_list arguments;
    clear_progress();
    if (!*format || !isatty(STDERR_FILENO))
        return;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
    has_progress = true;
}

/* Whether an argument is, or is to become, a picture that needs no plug-in; or no picture at all. */
static bool is_plain(const char *argument) {
    static const sdimage_format plain[] = {SDIMAGE_FORMAT_JPEG, SDIMAGE_FORMAT_PNG, SDIMAGE_FORMAT_GIF,
                                           SDIMAGE_FORMAT_WEBP, SDIMAGE_FORMAT_BMP, SDIMAGE_FORMAT_ICO,
                                           SDIMAGE_FORMAT_AVIF};
    char head[4096];
    FILE *file = is_url(argument) ? NULL : fopen(argument, "rb");
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

/* The plug-ins take some tens of milliseconds to load: not for commands that have no use for them. */
static void load_plugins(int argc, char **argv) {
    bool wanted = !strcmp(argv[1], "doctor");
    for (int i = 2; i < argc && strcmp(argv[1], "cache") && !wanted; i++)
        wanted = !is_plain(argv[i]);
    if (wanted)
        sdimage_plugins_load_all(NULL, NULL);
}

static int run(int argc, char **argv) {
    const char *command = argv[1];
    load_plugins(argc, argv);
    if (!strcmp(command, "get"))
        return run_get(argc - 1, argv + 1);
    if (!strcmp(command, "cache"))
        return run_cache(argc - 1, argv + 1);
    if (!strcmp(command, "prefetch"))
        return run_prefetch(argc - 1, argv + 1);
    if (!strcmp(command, "convert"))
        return run_convert(argc - 1, argv + 1);
    if (!strcmp(command, "frames"))
        return run_frames(argc - 1, argv + 1);
    if (!strcmp(command, "play"))
        return run_play(argc - 1, argv + 1);
    if (!strcmp(command, "photos"))
        return run_photos(argc - 1, argv + 1);
    if (!strcmp(command, "info"))
        return run_info(argc - 1, argv + 1);
    if (!strcmp(command, "doctor"))
        return run_doctor(argc - 1, argv + 1);
    if (!strcmp(command, "--help") || !strcmp(command, "-h") || !strcmp(command, "help")) {
        fputs(usage, stdout);
        return EXIT_FINE;
    }
    if (!strcmp(command, "--version")) {
        printf("sdimage %s\n", sdimage_version());
        return EXIT_FINE;
    }
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        if (!strcmp(command, later[i])) {
            complain("%s: not in this version", command);
            return EXIT_USAGE;
        }
    }
    complain("%s: no such command; see sdimage --help", command);
    return EXIT_USAGE;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        complain("a command is missing; see sdimage --help");
        return EXIT_USAGE;
    }
    for (int i = 2; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strcmp(argv[i], "--help")) {
            fputs(usage, stdout);
            return EXIT_FINE;
        }
    }
    int status = run(argc, argv);
    if (fflush(stdout) || ferror(stdout)) {
        complain("standard output cannot be written");
        return status ? status : EXIT_NO_IMAGE;
    }
    return status;
}
