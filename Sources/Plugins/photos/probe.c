/* probe.c: recognition of files by their first bytes, and reading of files (see probe.h). Blocks; needs no lock. */
#include "probe.h"

#include <sdimage/decode.h>
#include <sdimage/metadata.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exif.h"
#include "fail.h"
#include "md5.h"
#include "support.h"

/* Bytes at each end of a file that enter its digest. */
enum { DIGESTED = 16 << 10 };

int sdphoto_open_file(int folder, const char *name) {
    struct stat status;
    /* Non-blocking, because opening a FIFO would wait for its other end. */
    int descriptor = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return -1;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
        return descriptor;
    close(descriptor);
    errno = EISDIR;
    return -1;
}

int64_t sdphoto_read_at(int descriptor, void *bytes, size_t length, int64_t offset) {
    size_t done = 0;
    while (done < length) {
        ssize_t count = pread(descriptor, (char *)bytes + done, length - done, offset + (int64_t)done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return -1;
        if (count == 0)
            break;
        done += (size_t)count;
    }
    return (int64_t)done;
}

sdimage_status sdphoto_read_all(int descriptor, uint64_t limit, sdimage_data **data, sdimage_error **error) {
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return sdphoto_fail_file(error, errno);
    uint64_t size = status.st_size > 0 ? (uint64_t)status.st_size : 0;
    /* Before memory is allocated. */
    if (size > limit || size >= SIZE_MAX)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "photos: file exceeds the size limit of the loader");
    if (size == 0)
        return sdcs_fail(error, SDIMAGE_STATUS_EMPTY_DATA, "photos: file is 0 bytes long");
    void *bytes = malloc((size_t)size);
    if (!bytes)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for a file");
    /* A file that grows meanwhile is read up to its earlier size; a truncated one up to its new end. */
    int64_t count = sdphoto_read_at(descriptor, bytes, (size_t)size, 0);
    if (count <= 0) {
        int number = errno;
        free(bytes);
        return count < 0 ? sdphoto_fail_file(error, number)
                         : sdcs_fail(error, SDIMAGE_STATUS_EMPTY_DATA, "photos: file is 0 bytes long");
    }
    return sdimage_data_new_adopting(bytes, (size_t)count, bytes, free, data, error);
}

/* --- Sniffing of other media. */

/* Bytes at an offset that identify a media type. */
typedef struct signature {
    size_t at;
    const char *bytes;
    size_t length;
    const char *type;
} signature;

#define SIGN(at, text, type)                                                                                           \
    { at, text, sizeof(text) - 1, type }

/* Video and sound; images are recognized by the library. The first match counts: special brands of `ftyp` precede the
 * general one. */
static const signature signatures[] = {SIGN(4, "ftypqt  ", "video/quicktime"),
                                       SIGN(4, "ftypM4A ", "audio/mp4"),
                                       SIGN(4, "ftypM4B ", "audio/mp4"),
                                       SIGN(4, "ftyp3g", "video/3gpp"),
                                       SIGN(4, "ftyp", "video/mp4"),
                                       SIGN(4, "moov", "video/quicktime"),
                                       SIGN(0, "\x1a\x45\xdf\xa3", "video/x-matroska"),
                                       SIGN(8, "AVI LIST", "video/x-msvideo"),
                                       SIGN(8, "WAVEfmt ", "audio/x-wav"),
                                       SIGN(0, "\x00\x00\x01\xba", "video/mpeg"),
                                       SIGN(0, "\x00\x00\x01\xb3", "video/mpeg"),
                                       SIGN(0, "FLV\x01", "video/x-flv"),
                                       SIGN(0, "fLaC", "audio/flac"),
                                       SIGN(0, "ID3", "audio/mpeg"),
                                       SIGN(0, "\xff\xfb", "audio/mpeg"),
                                       SIGN(0, "\xff\xf1", "audio/aac"),
                                       SIGN(0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11", "video/x-ms-asf")};

/* Returns the media type of a video or sound; NULL for others. Static. */
static const char *moving_type(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const signature *one = &signatures[i];
        if (length >= one->at + one->length && memcmp(bytes + one->at, one->bytes, one->length) == 0)
            return one->type;
    }
    /* Packets of a transport stream: ISO/IEC 13818-1, 2.4.3.2. */
    if (length > 376 && bytes[0] == 0x47 && bytes[188] == 0x47 && bytes[376] == 0x47)
        return "video/mp2t";
    if (length > 64 && memcmp(bytes, "OggS", 4) == 0)
        return memmem(bytes, 64, "theora", 6) ? "video/ogg" : "audio/ogg";
    return NULL;
}

void sdphoto_sniff(const uint8_t *bytes, size_t length, sdphoto_info *info) {
    *info = (sdphoto_info){.format = sdimage_sniff(bytes, length), .orientation = SDIMAGE_ORIENTATION_UP};
    const char *type = NULL;
    /* A PDF is a document, although a coder may draw it. */
    if (info->format != SDIMAGE_FORMAT_UNKNOWN && info->format != SDIMAGE_FORMAT_PDF) {
        info->media = SDIMAGE_PHOTOS_MEDIA_IMAGE;
        info->playback =
            info->format == SDIMAGE_FORMAT_GIF ? SDIMAGE_PHOTOS_PLAYBACK_ANIMATED : SDIMAGE_PHOTOS_PLAYBACK_STILL;
        type = sdimage_format_mime_type(info->format);
    } else if ((type = moving_type(bytes, length))) {
        info->format = SDIMAGE_FORMAT_UNKNOWN;
        bool is_video = strncmp(type, "video", 5) == 0;
        info->media = is_video ? SDIMAGE_PHOTOS_MEDIA_VIDEO : SDIMAGE_PHOTOS_MEDIA_AUDIO;
        info->playback = is_video ? SDIMAGE_PHOTOS_PLAYBACK_VIDEO : SDIMAGE_PHOTOS_PLAYBACK_NONE;
    } else {
        info->format = SDIMAGE_FORMAT_UNKNOWN;
    }
    snprintf(info->type, sizeof info->type, "%s", type ? type : "");
}

bool sdphoto_describe(const uint8_t *bytes, size_t length, sdphoto_info *info) {
    sdimage_info *header = NULL;
    if (sdimage_info_new(bytes, length, NULL, &header, NULL) < 0)
        return false;
    info->size = sdimage_info_size(header);
    info->orientation = sdimage_info_orientation(header);
    /* sdphoto_sniff knows only the format, but the header tells the number of frames. */
    if (sdimage_info_frame_count(header) > 1)
        info->playback = SDIMAGE_PHOTOS_PLAYBACK_ANIMATED;
    const sdimage_data *exif = sdimage_info_exif(header);
    if (exif) {
        sdphoto_exif read = sdphoto_exif_read(sdimage_data_bytes(exif), sdimage_data_length(exif));
        info->has_date = read.has_date;
        info->taken_ns = read.taken_ns;
    }
    sdimage_info_unref(header);
    return info->size.width > 0;
}

/* Computes a digest of the length, the beginning and the end: reading whole files would take too long. False if the end
 * cannot be read. */
static bool digest_of(int descriptor, const uint8_t *head, size_t length, uint64_t file_size, uint8_t digest[16]) {
    uint8_t tail[DIGESTED];
    sdcs_md5 md5;
    sdcs_md5_begin(&md5);
    sdcs_md5_add(&md5, &file_size, sizeof file_size);
    sdcs_md5_add(&md5, head, length < DIGESTED ? length : DIGESTED);
    if (file_size > 2 * (uint64_t)DIGESTED) {
        int64_t count = sdphoto_read_at(descriptor, tail, sizeof tail, (int64_t)(file_size - DIGESTED));
        if (count < 0)
            return false;
        sdcs_md5_add(&md5, tail, (size_t)count);
    }
    sdcs_md5_end(&md5, digest);
    return true;
}

bool sdphoto_probe(int descriptor, uint64_t file_size, sdphoto_info *info, uint8_t digest[16]) {
    static const size_t looks[] = {SDPHOTO_HEAD, SDPHOTO_LONG_HEAD, SDPHOTO_LONGEST_HEAD};
    *info = (sdphoto_info){.format = SDIMAGE_FORMAT_UNKNOWN, .orientation = SDIMAGE_ORIENTATION_UP};
    uint8_t *head = NULL;
    bool is_read = false;
    /* Some formats store their size or frame count far from the beginning. */
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        /* One byte more than the file has, so that a full buffer means that more follows. */
        size_t room = file_size < looks[i] ? (size_t)file_size + 1 : looks[i];
        uint8_t *longer = realloc(head, room);
        int64_t count = longer ? sdphoto_read_at(descriptor, longer, room, 0) : -1;
        head = longer ? longer : head;
        if (count < 0 || (i == 0 && !digest_of(descriptor, head, (size_t)count, file_size, digest)))
            break;
        is_read = true;
        if (i == 0)
            sdphoto_sniff(head, (size_t)count, info);
        if (info->media != SDIMAGE_PHOTOS_MEDIA_IMAGE || sdphoto_describe(head, (size_t)count, info) ||
            (size_t)count < room)
            break;
    }
    /* free may change errno. */
    int number = errno;
    free(head);
    errno = number;
    return is_read;
}
