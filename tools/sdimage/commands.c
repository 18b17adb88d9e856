/* commands.c: the table of commands and options. */
#include "commands.h"

#include "cli.h"

/* Rows are kept as short as possible. */
/* clang-format off */

#define FORMATS "jpeg png gif webp bmp ico heic avif jxl"
#define TRANSFORMS "resize: crop: flip:h flip:v flip:hv rotate: round: blur: tint: filter:"
#define PICTURE                                                                                                        \
    OPTION_THUMBNAIL, OPTION_TRANSFORM, OPTION_QUALITY, OPTION_MAX_BYTES, OPTION_LOSSLESS, OPTION_FORMAT,              \
        OPTION_FIRST_FRAME
#define LIBRARY OPTION_LIBRARY, OPTION_SHOTWELL, OPTION_DIGIKAM

const option_row option_rows[] = {
    {OPTION_THUMBNAIL, 0, "thumbnail", "WxH", WORDS_ANY, false, "decode into a box of that many pixels; nothing is enlarged"},
    {OPTION_TRANSFORM, 0, "transform", "WHAT", TRANSFORMS, false, "change the picture; again for more"},
    {OPTION_QUALITY, 0, "quality", "Q", WORDS_ANY, false, "0 to 1, of formats that lose something"},
    {OPTION_MAX_BYTES, 0, "max-bytes", "N", WORDS_ANY, false, "the best quality whose file has at most so many bytes"},
    {OPTION_LOSSLESS, 0, "lossless", NULL, NULL, false, "keep every pixel as it is, of WebP and AVIF"},
    {OPTION_FORMAT, 0, "format", "NAME", FORMATS, false, "the format to write, in place of the one that OUT says"},
    {OPTION_FIRST_FRAME, 0, "first-frame", NULL, NULL, false, "make a still of an animation"},
    {OPTION_LIBRARY, 0, "library", "DIR", WORDS_FOLDER, false, "a folder of photos, in place of Pictures"},
    {OPTION_SHOTWELL, 0, "shotwell", "DB", WORDS_FILE, true, "the database of Shotwell"},
    {OPTION_DIGIKAM, 0, "digikam", "DB", WORDS_FILE, true, "the database of digiKam"},
    {OPTION_OUTPUT, 'o', "output", "OUT", WORDS_FILE, false, "the file to write, a folder for several, - for standard output"},
    {OPTION_FOLDER, 'o', "output", "DIR", WORDS_FOLDER, false, "the folder to write into, made where it is missing"},
    {OPTION_SIZE, 0, "size", "WxH", WORDS_ANY, false, "the box of the thumbnail in pixels"},
    {OPTION_CACHE, 0, "cache", "DIR", WORDS_FOLDER, false, "folder of the disk cache"},
    {OPTION_NO_CACHE, 0, "no-cache", NULL, NULL, false, "neither read a cache nor write one"},
    {OPTION_NAMESPACE, 0, "namespace", "NAME", WORDS_ANY, false, "part of the cache, default otherwise"},
    {OPTION_PREFIX, 0, "prefix", "TEXT", WORDS_ANY, false, "entries whose keys begin so"},
    {OPTION_REPAIR, 0, "repair", NULL, NULL, false, "remove what is damaged"},
    {OPTION_JOBS, 'j', "jobs", "N", WORDS_ANY, false, "as many at once, 6 otherwise"},
    {OPTION_LOOPS, 0, "loops", "N", WORDS_ANY, false, "play so often; 0 is for ever"},
    {OPTION_RATE, 0, "rate", "R", WORDS_ANY, false, "so much faster, up to 1000"},
    {OPTION_SCREEN, 0, "screen", "KIND", "blocks sixel kitty", false, "how to draw, in place of what the terminal says"},
    {OPTION_ALBUM, 0, "album", "ALBUM", WORDS_ANY, false, "photos of a folder, event, album or tag"},
    {OPTION_SORT, 0, "sort", "ORDER", "date name size modified", false, "the order, by date otherwise"},
    {OPTION_REVERSE, 0, "reverse", NULL, NULL, false, "the other way round"},
    {OPTION_LIMIT, 0, "limit", "N", WORDS_ANY, false, "so many at most"},
    {OPTION_MEDIA, 0, "media", "KIND", "image video audio", false, "files of one kind"},
    {OPTION_SECONDS, 0, "seconds", "N", WORDS_ANY, false, "time for each picture, 1 otherwise, up to 600"},
    {OPTION_JSON, 0, "json", NULL, NULL, false, "print one JSON object a line"},
    {OPTION_HELP, 0, "help", NULL, NULL, false, "print this"},
    {OPTION_END, 0, NULL, NULL, NULL, false, NULL}};

#define CACHE_OPTIONS OPTION_CACHE, OPTION_NAMESPACE, OPTION_JSON

const command_row command_rows[] = {
    {"get", "URL...", WORDS_FILE, 1, ANY_NUMBER, OPTION_END,
     {OPTION_OUTPUT, PICTURE, OPTION_CACHE, OPTION_NO_CACHE, OPTION_JSON}, run_get,
     "loads pictures from http, https, file and data URLs, or files, several at once", false},
    {"thumb", "FILE|URL...", WORDS_FILE, 1, ANY_NUMBER, OPTION_OUTPUT,
     {OPTION_OUTPUT, OPTION_SIZE, PICTURE, OPTION_CACHE, OPTION_NO_CACHE, OPTION_JSON}, run_thumb,
     "writes small pictures of files and URLs, in a box of 256x256 pixels where no size is told", false},
    {"convert", "IN OUT", WORDS_FILE, 2, 2, OPTION_END, {PICTURE, OPTION_JSON}, run_convert,
     "writes a picture, moving ones too, in the format that the extension of OUT says", false},
    {"frames", "FILE", WORDS_FILE, 1, 1, OPTION_FOLDER, {OPTION_FOLDER, PICTURE, OPTION_JSON}, run_frames,
     "writes each frame of a picture into a folder", false},
    {"play", "FILE|URL", WORDS_FILE, 1, 1, OPTION_END, {OPTION_LOOPS, OPTION_RATE, OPTION_SCREEN}, run_play,
     "shows a picture on the terminal, moving where it moves; q ends, a space stops and goes on", false},
    {"prefetch", "LIST", WORDS_FILE, 1, 1, OPTION_END, {OPTION_JOBS, OPTION_THUMBNAIL, OPTION_CACHE, OPTION_JSON},
     run_prefetch, "loads the URLs and files that LIST names, one a line, into the disk cache; - for standard input", false},
    {"cache ls", "", NULL, 0, 0, OPTION_END, {OPTION_PREFIX, CACHE_OPTIONS}, run_cache,
     "lists the entries of a disk cache", false},
    {"cache du", "", NULL, 0, 0, OPTION_END, {CACHE_OPTIONS}, run_cache, "tells how much a disk cache holds, and where", false},
    {"cache path", "KEY", WORDS_ANY, 1, 1, OPTION_END, {CACHE_OPTIONS}, run_cache,
     "names a file with the bytes of an entry", false},
    {"cache rm", "KEY...", WORDS_ANY, 1, ANY_NUMBER, OPTION_END, {CACHE_OPTIONS}, run_cache, "removes entries", false},
    {"cache clear", "", NULL, 0, 0, OPTION_END, {CACHE_OPTIONS}, run_cache, "removes all entries", false},
    {"cache trim", "BYTES", WORDS_ANY, 1, 1, OPTION_END, {CACHE_OPTIONS}, run_cache,
     "removes the oldest entries until fewer bytes are used", false},
    {"cache verify", "", NULL, 0, 0, OPTION_END, {OPTION_REPAIR, CACHE_OPTIONS}, run_cache,
     "compares every checksum of a disk cache", false},
    {"photos ls", "", NULL, 0, 0, OPTION_END,
     {OPTION_ALBUM, OPTION_SORT, OPTION_REVERSE, OPTION_LIMIT, OPTION_MEDIA, LIBRARY, OPTION_JSON}, run_photos,
     "lists photos under the names that stay when files move", false},
    {"photos thumb", "ID", WORDS_ANY, 1, 1, OPTION_OUTPUT, {OPTION_OUTPUT, OPTION_SIZE, PICTURE, LIBRARY, OPTION_JSON},
     run_photos, "writes a photo, or a thumbnail of it", false},
    {"info", "FILE...", WORDS_FILE, 1, ANY_NUMBER, OPTION_END, {OPTION_JSON}, run_info,
     "tells what the headers of files say; - is standard input", false},
    {"bench", "FILE|URL...", WORDS_FILE, 1, ANY_NUMBER, OPTION_END, {OPTION_SECONDS, OPTION_SIZE, OPTION_JSON}, run_bench,
     "measures how long pictures take here, by every way that a load may go", false},
    {"doctor", "", NULL, 0, 0, OPTION_END, {OPTION_JSON}, run_doctor,
     "tells version, formats, libraries and limits, what a bug report starts with", false},
    {"completion", "SHELL", "bash zsh fish", 1, 1, OPTION_END, {OPTION_END}, run_completion,
     "prints what completes these commands in a shell", true},
    {NULL, NULL, NULL, 0, 0, OPTION_END, {OPTION_END}, NULL, NULL, false}};

/* clang-format on */

const option_row *option_row_of(option_id id) {
    const option_row *row = option_rows;
    while (row->name && row->id != id)
        row++;
    return row;
}

bool is_picture_option(option_id id) {
    return id >= OPTION_THUMBNAIL && id <= OPTION_FIRST_FRAME;
}

bool is_library_option(option_id id) {
    return id >= OPTION_LIBRARY && id <= OPTION_DIGIKAM;
}
