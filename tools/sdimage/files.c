/* files.c: reads and writes files of bytes and pixels (see files.h). A failure of standard output is reported like that
 * of a file. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "json.h"

/* Above the limit of every decoder; a device may be endless. */
enum { MOST_BYTES = 1 << 30 };

void *read_file(const char *path, size_t *length) {
    FILE *in = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    if (!in)
        return NULL;
    char *bytes = NULL;
    size_t capacity = 0, count = 1;
    /* For the end of the loop at the limit; a failure of fread or realloc sets its own. */
    errno = EFBIG;
    for (*length = 0; count > 0 && *length < MOST_BYTES; *length += count) {
        if (*length == capacity) {
            capacity = capacity ? capacity * 2 : 1 << 16;
            char *larger = realloc(bytes, capacity);
            if (!larger)
                break;
            bytes = larger;
        }
        count = fread(bytes + *length, 1, capacity - *length, in);
    }
    int problem = feof(in) && !ferror(in) ? 0 : errno;
    if (in != stdin)
        fclose(in);
    if (!problem)
        return bytes;
    free(bytes);
    errno = problem;
    return NULL;
}

pixel_file pixel_file_of(const char *path) {
    const char *dot = path ? strrchr(path, '.') : NULL;
    if (dot && !strcasecmp(dot, ".ppm"))
        return PIXEL_FILE_PPM;
    if (dot && !strcasecmp(dot, ".pam"))
        return PIXEL_FILE_PAM;
    if (dot && !strcasecmp(dot, ".pfm"))
        return PIXEL_FILE_PFM;
    return PIXEL_FILE_NONE;
}

/* An output. A regular file is written under a temporary name, and replaces that of `path` when it is complete.
 * Devices, pipes and open files are written directly. */
typedef struct output {
    FILE *file;
    char *path, *temporary; /* NULL if the file is written directly */
} output;

static void free_names(output *out) {
    free(out->path);
    free(out->temporary);
    out->path = out->temporary = NULL;
}

/* Makes the temporary file in the folder of the output, with the permissions of the old file, which may be NULL. */
static FILE *open_temporary(output *out, const char *path, const struct stat *old) {
    struct timespec now;
    mode_t mode = old ? old->st_mode & 0777 : 0666;
    /* A link stays, and the file to which it leads is replaced. */
    out->path = old ? realpath(path, NULL) : strdup(path);
    const char *slash = out->path ? strrchr(out->path, '/') : NULL;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!out->path || asprintf(&out->temporary, "%.*s.%d-%lld%09ld.part", slash ? (int)(slash + 1 - out->path) : 0,
                               out->path, (int)getpid(), (long long)now.tv_sec, now.tv_nsec) < 0)
        return NULL;
    int descriptor = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0)
        return NULL;
    /* The umask may have removed some. */
    if (old)
        fchmod(descriptor, mode);
    FILE *file = fdopen(descriptor, "wb");
    if (!file) {
        close(descriptor);
        unlink(out->temporary);
    }
    return file;
}

/* Reports a name of an open file, which other programs go on to use. */
static bool is_descriptor(const char *path) {
    static const char *const names[] = {"/dev/fd/", "/dev/std", "/proc/"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(path, names[i], strlen(names[i])))
            return true;
    return false;
}

/* Opens a file, or standard output for "-". False and an error on failure. */
static bool open_output(output *out, const char *path, sdimage_error **error) {
    struct stat old;
    *out = (output){.file = stdout};
    if (!strcmp(path, "-"))
        return true;
    bool is_there = stat(path, &old) == 0;
    bool is_direct = is_there && (!S_ISREG(old.st_mode) || is_descriptor(path));
    /* A rename would also replace a file that is protected. */
    bool is_refused = is_there && !is_direct && access(path, W_OK) != 0;
    out->file = is_direct || is_refused ? NULL : open_temporary(out, path, is_there ? &old : NULL);
    if (out->file)
        return true;
    int problem = errno;
    free_names(out);
    /* The folder of a file may take no others. */
    if (is_direct || (is_there && !is_refused && problem != ENOSPC && problem != EDQUOT)) {
        out->file = fopen(path, "wb");
        problem = errno;
    }
    if (!out->file)
        *error = error_of_errno(problem);
    return out->file != NULL;
}

/* Copies the complete file over the old one, which stays in its place. Returns an errno, 0 for success. */
static int copy_over(const char *from, const char *to) {
    int source = open(from, O_RDONLY | O_CLOEXEC);
    /* Without O_CREAT, which the kernel may refuse for a file of another user (fs.protected_regular). */
    int target = source < 0 ? -1 : open(to, O_WRONLY | O_TRUNC | O_CLOEXEC);
    ssize_t count = target < 0 ? -1 : 1;
    while (count > 0)
        count = sendfile(target, source, NULL, MOST_BYTES);
    int problem = count < 0 ? errno : 0;
    if (source >= 0)
        close(source);
    if (target >= 0 && close(target) != 0 && !problem)
        problem = errno;
    return problem;
}

/* Gives the complete file its name. Returns an errno, 0 for success. */
static int replace(const output *out) {
    if (rename(out->temporary, out->path) == 0)
        return 0;
    int problem = errno;
    /* A mount point cannot be replaced, nor a file of another user in a sticky folder. */
    bool can_copy = problem == EBUSY || problem == EPERM || problem == EACCES;
    return can_copy && access(out->path, F_OK) == 0 ? copy_over(out->temporary, out->path) : problem;
}

/* Closes an output. Write errors show here: the writers check none. */
static bool close_output(output *out, sdimage_error **error) {
    int problem = fflush(out->file) || ferror(out->file) ? errno : 0;
    if (out->file != stdout && fclose(out->file) && !problem)
        problem = errno;
    if (out->temporary && !problem)
        problem = replace(out);
    /* Missing after a rename. */
    if (out->temporary)
        unlink(out->temporary);
    free_names(out);
    if (problem)
        *error = error_of_errno(problem);
    return !problem;
}

bool write_bytes(const char *path, const void *bytes, size_t length, sdimage_error **error) {
    output out;
    if (!open_output(&out, path, error))
        return false;
    fwrite(bytes, 1, length, out.file);
    return close_output(&out, error);
}

void add_json_length(json *object, const char *path) {
    struct stat status;
    if (strcmp(path, "-") && stat(path, &status) == 0)
        add_json_literal(object, "bytes", "%lld", (long long)status.st_size);
}

/* The description of a pixel format in a PAM header. */
typedef struct layout {
    unsigned depth, maximum;
    const char *tuple;
} layout;

/* Describes the samples of a format; false if a PAM cannot hold them as they are. */
static bool layout_of(sdimage_pixel_format format, layout *layout) {
    switch (format) {
    case SDIMAGE_PIXEL_FORMAT_GRAY8: layout->depth = 1, layout->maximum = 255, layout->tuple = "GRAYSCALE"; return true;
    case SDIMAGE_PIXEL_FORMAT_RGB8: layout->depth = 3, layout->maximum = 255, layout->tuple = "RGB"; return true;
    case SDIMAGE_PIXEL_FORMAT_RGBA8: layout->depth = 4, layout->maximum = 255, layout->tuple = "RGB_ALPHA"; return true;
    case SDIMAGE_PIXEL_FORMAT_GRAY16:
        layout->depth = 1, layout->maximum = 65535, layout->tuple = "GRAYSCALE";
        return true;
    case SDIMAGE_PIXEL_FORMAT_RGB16: layout->depth = 3, layout->maximum = 65535, layout->tuple = "RGB"; return true;
    case SDIMAGE_PIXEL_FORMAT_RGBA16:
        layout->depth = 4, layout->maximum = 65535, layout->tuple = "RGB_ALPHA";
        return true;
    default: return false;
    }
}

/* Netpbm requires the high byte of a sample first, on every machine. */
static void put_row(FILE *out, const void *row, size_t samples, unsigned maximum) {
    if (maximum == 255) {
        fwrite(row, 1, samples, out);
        return;
    }
    const uint16_t *sample = row;
    for (size_t i = 0; i < samples; i++) {
        putc(sample[i] >> 8, out);
        putc(sample[i] & 0xff, out);
    }
}

/* Writes an image as PPM (P6), or as PAM (P7) with alpha and gray. */
static bool write_plain(const char *path, pixel_file kind, const sdimage_image *image, sdimage_error **error) {
    layout layout;
    output output;
    /* write_pixels has converted the image to a format with a layout. */
    if (!layout_of(sdimage_image_pixel_format(image), &layout) || !open_output(&output, path, error))
        return false;
    FILE *out = output.file;
    uint32_t width = sdimage_image_width(image), height = sdimage_image_height(image);
    if (kind == PIXEL_FILE_PPM)
        fprintf(out, "P6\n%u %u\n%u\n", width, height, layout.maximum);
    else
        fprintf(out, "P7\nWIDTH %u\nHEIGHT %u\nDEPTH %u\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n", width, height, layout.depth,
                layout.maximum, layout.tuple);
    const uint8_t *row = sdimage_image_pixels(image);
    for (uint32_t y = 0; y < height; y++, row += sdimage_image_stride(image))
        put_row(out, row, (size_t)width * layout.depth, layout.maximum);
    return close_output(&output, error);
}

/* Writes floats as a Portable Float Map: three channels, rows from the bottom, in the byte order of the machine. A
 * negative scale in the header means little-endian. */
static bool write_floats(const char *path, const sdimage_image *image, sdimage_error **error) {
    const uint16_t probe = 1;
    output output;
    if (!open_output(&output, path, error))
        return false;
    FILE *out = output.file;
    uint32_t width = sdimage_image_width(image), height = sdimage_image_height(image);
    fprintf(out, "PF\n%u %u\n%s\n", width, height, *(const uint8_t *)&probe ? "-1.0" : "1.0");
    for (uint32_t y = height; y-- > 0;) {
        const uint8_t *row = (const uint8_t *)sdimage_image_pixels(image) + y * sdimage_image_stride(image);
        for (uint32_t x = 0; x < width; x++)
            fwrite(row + x * 4 * sizeof(float), sizeof(float), 3, out);
    }
    return close_output(&output, error);
}

bool write_pixels(const char *path, pixel_file kind, const sdimage_image *image, sdimage_error **error) {
    sdimage_pixel_format format = sdimage_image_pixel_format(image);
    layout layout;
    sdimage_image *plain = NULL;
    /* PPM holds 8 or 16 bits of RGB, PFM floats, and PAM the format of the image if it can. */
    if (kind == PIXEL_FILE_PPM && format != SDIMAGE_PIXEL_FORMAT_RGB16)
        format = SDIMAGE_PIXEL_FORMAT_RGB8;
    else if (kind == PIXEL_FILE_PFM)
        format = SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT;
    else if (!layout_of(format, &layout))
        format = SDIMAGE_PIXEL_FORMAT_RGBA8;
    if (sdimage_image_convert(image, format, &plain, error) < 0)
        return false;
    bool is_fine = kind == PIXEL_FILE_PFM ? write_floats(path, plain, error) : write_plain(path, kind, plain, error);
    sdimage_image_unref(plain);
    return is_fine;
}
