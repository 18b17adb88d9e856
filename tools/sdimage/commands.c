/* commands.c: the table of commands and options (see commands.h). Options of --help appear in the order of
 * `option_rows`. */
#include "commands.h"

/* Rows are kept as short as possible. */
/* clang-format off */

#define FORMATS "jpeg png gif webp bmp ico heic avif jxl"
#define TRANSFORMS "resize: crop: flip:h flip:v flip:hv rotate: round: blur: tint: filter:"
#define IMAGE_OPTIONS                                                                                                  \
    OPTION_THUMBNAIL, OPTION_TRANSFORM, OPTION_QUALITY, OPTION_MAX_BYTES, OPTION_LOSSLESS, OPTION_FORMAT,              \
        OPTION_FIRST_FRAME
#define RENDITION_OPTIONS OPTION_HDR, OPTION_SDR, OPTION_HEADROOM
#define LIBRARY_OPTIONS OPTION_LIBRARY, OPTION_SHOTWELL, OPTION_DIGIKAM

const option_row option_rows[] = {
    {OPTION_THUMBNAIL, 0, "thumbnail", "WxH", WORDS_ANY, false, "decode into a box of W by H pixels, without enlarging"},
    {OPTION_TRANSFORM, 0, "transform", "WHAT", TRANSFORMS, false, "transform the image; may be repeated"},
    {OPTION_QUALITY, 0, "quality", "Q", WORDS_ANY, false, "set the quality of lossy formats, 0 to 1"},
    {OPTION_MAX_BYTES, 0, "max-bytes", "N", WORDS_ANY, false, "choose the best quality whose file has at most N bytes, or the lowest"},
    {OPTION_LOSSLESS, 0, "lossless", NULL, NULL, false, "write WebP, AVIF and JPEG XL without loss"},
    {OPTION_FORMAT, 0, "format", "NAME", FORMATS, false, "write this format, whatever the extension of OUT"},
    {OPTION_FIRST_FRAME, 0, "first-frame", NULL, NULL, false, "use only the first frame of an animation"},
    {OPTION_HDR, 0, "hdr", NULL, NULL, false, "use the HDR rendition of PQ, HLG and gain maps"},
    {OPTION_SDR, 0, "sdr", NULL, NULL, false, "use the SDR rendition (the default)"},
    {OPTION_HEADROOM, 0, "headroom", "STOPS", WORDS_ANY, false, "use the rendition for a display with this headroom above SDR white"},
    {OPTION_LIBRARY, 0, "library", "DIR", WORDS_FOLDER, false, "use the photos of this folder instead of Pictures"},
    {OPTION_SHOTWELL, 0, "shotwell", "DB", WORDS_FILE, true, "use the database of Shotwell"},
    {OPTION_DIGIKAM, 0, "digikam", "DB", WORDS_FILE, true, "use the database of digiKam"},
    {OPTION_OUTPUT, 'o', "output", "OUT", WORDS_FILE, false, "write to a file, to a folder for several images, or to standard output for -"},
    {OPTION_FOLDER, 'o', "output", "DIR", WORDS_FOLDER, false, "write into this folder; it is created if it does not exist"},
    {OPTION_SIZE, 0, "size", "WxH", WORDS_ANY, false, "fit the thumbnail into a box of W by H pixels"},
    {OPTION_CACHE, 0, "cache", "DIR", WORDS_FOLDER, false, "use the disk cache in this folder"},
    {OPTION_NO_CACHE, 0, "no-cache", NULL, NULL, false, "neither read nor write a cache"},
    {OPTION_NAMESPACE, 0, "namespace", "NAME", WORDS_ANY, false, "use this namespace of the cache"},
    {OPTION_PREFIX, 0, "prefix", "TEXT", WORDS_ANY, false, "list only entries whose keys begin with TEXT"},
    {OPTION_REPAIR, 0, "repair", NULL, NULL, false, "remove damaged entries"},
    {OPTION_JOBS, 'j', "jobs", "N", WORDS_ANY, false, "run at most N loads at once, at most 1000 (default 6)"},
    {OPTION_LOOPS, 0, "loops", "N", WORDS_ANY, false, "play N times; 0 plays without end"},
    {OPTION_RATE, 0, "rate", "R", WORDS_ANY, false, "multiply the speed by R, at most 1000"},
    {OPTION_SCREEN, 0, "screen", "KIND", "blocks sixel kitty", false, "use this output method instead of detecting one"},
    {OPTION_ALBUM, 0, "album", "ALBUM", WORDS_ANY, false, "list only photos of a folder, event, album or tag"},
    {OPTION_SORT, 0, "sort", "ORDER", "date name size modified", false, "sort by this property (default date)"},
    {OPTION_REVERSE, 0, "reverse", NULL, NULL, false, "reverse the order"},
    {OPTION_LIMIT, 0, "limit", "N", WORDS_ANY, false, "list at most N photos"},
    {OPTION_MEDIA, 0, "media", "KIND", "image video audio", false, "list only files of this kind"},
    {OPTION_SECONDS, 0, "seconds", "N", WORDS_ANY, false, "measure each image for N seconds, at most 600 (default 1)"},
    {OPTION_ISOLATION, 0, "isolation", "MODE", "none risky all", false, "decode in sandboxed processes (default risky)"},
    {OPTION_JSON, 0, "json", NULL, NULL, false, "print one JSON object per line"},
    {OPTION_HELP, 0, "help", NULL, NULL, false, "print this help"},
    {OPTION_END, 0, NULL, NULL, NULL, false, NULL}};

#define CACHE_OPTIONS OPTION_CACHE, OPTION_NAMESPACE, OPTION_JSON

const command_row command_rows[] = {
    {"get", "FILE|URL...", WORDS_FILE, 1, ANY_NUMBER, OPTION_END,
     {OPTION_OUTPUT, IMAGE_OPTIONS, OPTION_CACHE, OPTION_NO_CACHE, OPTION_ISOLATION, OPTION_JSON},
     "load images from files and from http, https, file and data URLs", false},
    {"thumb", "FILE|URL...", WORDS_FILE, 1, ANY_NUMBER, OPTION_OUTPUT,
     {OPTION_OUTPUT, OPTION_SIZE, IMAGE_OPTIONS, OPTION_CACHE, OPTION_NO_CACHE, OPTION_ISOLATION, OPTION_JSON},
     "write thumbnails of files and URLs (default size 256x256)", false},
    {"convert", "IN OUT", WORDS_FILE, 2, 2, OPTION_END,
     {IMAGE_OPTIONS, RENDITION_OPTIONS, OPTION_ISOLATION, OPTION_JSON},
     "convert an image or animation to the format of the extension of OUT", false},
    {"frames", "FILE", WORDS_FILE, 1, 1, OPTION_FOLDER, {OPTION_FOLDER, IMAGE_OPTIONS, OPTION_ISOLATION, OPTION_JSON},
     "write each frame of an image into a folder", false},
    {"play", "FILE|URL", WORDS_FILE, 1, 1, OPTION_END, {OPTION_LOOPS, OPTION_RATE, OPTION_SCREEN, OPTION_ISOLATION},
     "show an image or play an animation on the terminal; q quits, space pauses and resumes", false},
    {"prefetch", "LIST", WORDS_FILE, 1, 1, OPTION_END,
     {OPTION_JOBS, OPTION_THUMBNAIL, OPTION_CACHE, OPTION_ISOLATION, OPTION_JSON},
     "load the URLs of LIST, one per line, into the disk cache; - reads standard input", false},
    {"cache ls", "", NULL, 0, 0, OPTION_END, {OPTION_PREFIX, CACHE_OPTIONS},
     "list the entries of a disk cache", false},
    {"cache du", "", NULL, 0, 0, OPTION_END, {CACHE_OPTIONS}, "print the size and the location of a disk cache", false},
    {"cache get", "KEY", WORDS_ANY, 1, 1, OPTION_OUTPUT, {OPTION_OUTPUT, CACHE_OPTIONS},
     "write the data of an entry to a file", false},
    {"cache rm", "KEY...", WORDS_ANY, 1, ANY_NUMBER, OPTION_END, {CACHE_OPTIONS}, "remove entries", false},
    {"cache clear", "", NULL, 0, 0, OPTION_END, {CACHE_OPTIONS}, "remove all entries", false},
    {"cache trim", "BYTES", WORDS_ANY, 1, 1, OPTION_END, {CACHE_OPTIONS},
     "remove the oldest entries until the files of the cache occupy less than BYTES", false},
    {"cache verify", "", NULL, 0, 0, OPTION_END, {OPTION_REPAIR, CACHE_OPTIONS},
     "verify the checksums of a disk cache", false},
    {"photos ls", "", NULL, 0, 0, OPTION_END,
     {OPTION_ALBUM, OPTION_SORT, OPTION_REVERSE, OPTION_LIMIT, OPTION_MEDIA, LIBRARY_OPTIONS, OPTION_JSON},
     "list photos with identifiers that stay valid when files move", false},
    {"photos thumb", "ID", WORDS_ANY, 1, 1, OPTION_OUTPUT,
     {OPTION_OUTPUT, OPTION_SIZE, IMAGE_OPTIONS, LIBRARY_OPTIONS, OPTION_ISOLATION, OPTION_JSON},
     "write a photo or a thumbnail of it", false},
    {"info", "FILE...", WORDS_FILE, 1, ANY_NUMBER, OPTION_END, {OPTION_ISOLATION, OPTION_JSON},
     "print the properties of image files; - reads standard input", false},
    {"bench", "FILE|URL...", WORDS_FILE, 1, ANY_NUMBER, OPTION_END,
     {OPTION_SECONDS, OPTION_SIZE, OPTION_ISOLATION, OPTION_JSON},
     "measure how fast images are decoded and loaded on this machine", false},
    {"doctor", "", NULL, 0, 0, OPTION_END, {OPTION_ISOLATION, OPTION_JSON},
     "print version, formats, libraries and limits for a bug report", false},
    {"completion", "SHELL", "bash zsh fish", 1, 1, OPTION_END, {OPTION_END},
     "print the completion script of a shell", true},
    {NULL, NULL, NULL, 0, 0, OPTION_END, {OPTION_END}, NULL, false}};

/* clang-format on */

const option_row *option_row_of(option_id id) {
    /* The last row, which has no name, for OPTION_END. */
    const option_row *row = option_rows;
    while (row->name && row->id != id)
        row++;
    return row;
}

bool is_image_option(option_id id) {
    return id >= OPTION_THUMBNAIL && id <= OPTION_FIRST_FRAME;
}

bool is_rendition_option(option_id id) {
    return id >= OPTION_HDR && id <= OPTION_HEADROOM;
}

bool is_library_option(option_id id) {
    return id >= OPTION_LIBRARY && id <= OPTION_DIGIKAM;
}
