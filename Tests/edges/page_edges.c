/* page_edges.c: encoded bytes that end where the address space ends. Every fixture is cut at many lengths and
 * changed at its beginning, and each variant lies directly before a page without access, so that a read past its end
 * is a SIGSEGV at once. The tested functions take memory of the caller: sniff, can_decode, info, read_metadata,
 * decode and decoder_append. Those that take a URL, a key or a hash are given texts in the same way, cut at every
 * length.
 *
 *     page_edges FOLDER…
 *
 * Each file runs in a child; the variants are the same in every run. */
#include <ftw.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "check.h"

enum {
    LONGEST_CPU_SECONDS = 60, /* for all variants of one file, which need only seconds */
    LONGEST_SECONDS = 600,    /* the same on a busy machine */
    FIRST_CUTS = 400,         /* every length up to this one */
    LATER_CUTS = 60,          /* distributed over the rest of the file */
    SPLICES = 600,            /* variants with a changed beginning */
    SPLICED_BYTES = 512,      /* length of that beginning */
    PIECES = 512,             /* offsets from which a piece is moved directly after the signature */
    DECODES_EVERY = 16        /* one of this number of variants is also decoded */
};

/* Ends a child that computes or waits too long: SIGXCPU or SIGALRM. */
static void limit_time(void) {
    struct rlimit limit = {.rlim_cur = LONGEST_CPU_SECONDS, .rlim_max = LONGEST_CPU_SECONDS + 1};
    setrlimit(RLIMIT_CPU, &limit);
    alarm(LONGEST_SECONDS);
}

/* Memory whose last byte is followed by a page without access. */
typedef struct edge {
    uint8_t *end;
    size_t capacity;
} edge;

static edge make_edge(size_t capacity) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = (capacity + page - 1) / page * page;
    uint8_t *memory = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + size, page, PROT_NONE) != 0)
        _exit(4);
    return (edge){.end = memory + size, .capacity = size};
}

/* Copies bytes directly before the inaccessible page. */
static const uint8_t *move_to_edge(edge edge, const uint8_t *bytes, size_t length) {
    return length ? memmove(edge.end - length, bytes, length) : edge.end;
}

static void use(const uint8_t *bytes, size_t length, bool decodes) {
    sdimage_info *info = NULL;
    sdimage_image *image = NULL;
    sdimage_sniff(bytes, length);
    sdimage_can_decode(bytes, length);
    if (sdimage_info_new(bytes, length, NULL, &info, NULL) >= 0)
        sdimage_info_unref(info);
    if (!decodes)
        return;
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_thumbnail_size(options, 40, 40, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    sdimage_decode_options_set_accept_partial(options, true);
    sdimage_decode_options_set_early_thumbnail(options, true);
    sdimage_decode_options_set_max_work_ms(options, 1000);
    for (int full = 0; full <= 1; full++)
        if (sdimage_decode(bytes, length, full ? NULL : options, &image, NULL) >= 0)
            sdimage_image_unref(image);
    sdimage_decode_options_unref(options);
    sdimage_decoder *decoder = NULL;
    if (sdimage_decoder_new(NULL, NULL, &decoder, NULL) >= 0)
        sdimage_decoder_append(decoder, bytes, length, true, NULL);
    sdimage_decoder_unref(decoder);
}

/* A linear congruential generator (Knuth, MMIX): the variants must not depend on the C library. */
static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* The beginning of the file with one piece removed, repeated or overwritten, and cut somewhere. */
static size_t splice(uint8_t *to, const uint8_t *bytes, size_t length, uint64_t *state) {
    size_t count = length < SPLICED_BYTES ? length : SPLICED_BYTES;
    memcpy(to, bytes, count);
    size_t from = next_random(state) % count, size = 1 + next_random(state) % 32;
    if (size > count - from)
        size = count - from;
    switch (next_random(state) % 4) {
    case 0:
        memmove(to + from, to + from + size, count - from - size);
        count -= size;
        break;
    case 1:
        memmove(to + from + size, to + from, count - from);
        count += size;
        break;
    default: memset(to + from, next_random(state) % 2 ? 0xff : 0, size);
    }
    return 1 + next_random(state) % count;
}

/* The signature and one later piece: a chunk header without the preceding chunks on which it depends, and without
 * any data after it. */
static void use_pieces(edge edge, const uint8_t *bytes, size_t length) {
    static const size_t signatures[] = {8, 12}, sizes[] = {8, 12};
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        for (size_t from = signatures[i]; from < length && from < PIECES; from++) {
            size_t size = sizes[i] < length - from ? sizes[i] : length - from;
            uint8_t start[32];
            memcpy(start, bytes, signatures[i]);
            memcpy(start + signatures[i], bytes + from, size);
            use(move_to_edge(edge, start, signatures[i] + size), signatures[i] + size, true);
        }
}

static void use_variants(const uint8_t *bytes, size_t length) {
    edge edge = make_edge(length + SPLICED_BYTES);
    uint64_t state = length;
    size_t step = length > FIRST_CUTS ? (length - FIRST_CUTS) / LATER_CUTS + 1 : 1;
    for (size_t cut = 0, count = 0; cut <= length; cut += cut < FIRST_CUTS ? 1 : step, count++)
        use(move_to_edge(edge, bytes, cut), cut, count % DECODES_EVERY == 0);
    use(move_to_edge(edge, bytes, length), length, true);
    for (int i = 0; i < SPLICES; i++) {
        uint8_t start[SPLICED_BYTES + 32];
        size_t count = splice(start, bytes, length, &state);
        use(move_to_edge(edge, start, count), count, i % DECODES_EVERY == 0);
    }
    use_pieces(edge, bytes, length);
}

_Noreturn static void use_file(const char *path) {
    FILE *file = fopen(path, "rb");
    static uint8_t bytes[2 << 20];
    size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    limit_time();
    sdimage_plugin_list *plugins = NULL;
    if (sdimage_plugins_load_all(&plugins, NULL) >= 0)
        sdimage_plugin_list_unref(plugins);
    if (length > 0)
        use_variants(bytes, length);
    _exit(length > 0 ? 0 : 3);
}

static const char *const texts[] = {
    "https://user:p%40ss@host.example:8080/a/b%2Fc.jpg?query=%C3%A9&x=1#fragment",
    "HTTPS://[2001:db8::1%25eth0]:99999999999/..%2f../@3x.png",
    "file:///tmp/%00%ff%",
    "data:image/png;charset=utf-8;base64,iVBORw0KGgo%3D=",
    "photos://asset/ABC?size=1x1",
    "L6PZfSi_.AyE_3t7t7R**0o#DgR4",
    "\x1f\x1f\xff\xfe\xf0\x9f\x98",
    "3OcRJYB4d3h/iIeHeEh3eIhw+j2w",
};

static void use_text(sdimage_manager *manager, sdimage_cache *cache, const uint8_t *bytes, size_t length) {
    const char *text = (const char *)bytes;
    sdimage_data *data = NULL;
    sdimage_image *image = NULL;
    sdimage_request *request = sdimage_request_new_bytes(text, length);
    sdimage_request_set_url(request, text, length);
    sdimage_request_set_cache_key(request, bytes, length);
    if (sdimage_manager_get_cache_key(manager, request, &data, NULL) >= 0)
        sdimage_data_unref(data);
    if (sdimage_manager_get_entry_key(manager, request, &data, NULL) >= 0)
        sdimage_data_unref(data);
    sdimage_request_unref(request);
    sdimage_manager_forget_failed(manager, text, length);
    sdimage_cache_contains(cache, bytes, length);
    if (sdimage_cache_get_path(cache, bytes, length, &data, NULL) >= 0)
        sdimage_data_unref(data);
    if (sdimage_cache_get_data(cache, bytes, length, &data, NULL) >= 0)
        sdimage_data_unref(data);
    sdimage_cache_remove(cache, bytes, length, SDIMAGE_CACHE_LAYERS_ALL, NULL);
    if (sdimage_blurhash_decode(text, length, 8, 8, 1, &image, NULL) >= 0)
        sdimage_image_unref(image);
    if (sdimage_thumbhash_decode(bytes, length, &image, NULL) >= 0)
        sdimage_image_unref(image);
    sdimage_target_options *options = sdimage_target_options_new();
    sdimage_target_options_set_blurhash(options, text, length, 8, 8);
    sdimage_target_options_set_thumbhash(options, bytes, length);
    sdimage_target_options_unref(options);
}

static int files, bad;

/* Records the end of the child that was given `name`. */
static void judge(const char *name, pid_t child) {
    int ended = -1;
    waitpid(child, &ended, 0);
    files++;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return;
    bad++;
    if (WIFSIGNALED(ended))
        printf("not ok page edges %s: %s\n", name, strsignal(WTERMSIG(ended)));
    else
        printf("not ok page edges %s: exit status %d\n", name, WEXITSTATUS(ended));
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where) {
    (void)status, (void)type, (void)where;
    return remove(path);
}

static void use_texts_in_children(void) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            size_t length = strlen(texts[i]);
            edge edge = make_edge(length);
            char folder[200];
            const char *parent = getenv("TMPDIR");
            snprintf(folder, sizeof folder, "%s/sdimage-edges-XXXXXX", parent && *parent ? parent : "/tmp");
            sdimage_cache_config *config = sdimage_cache_config_new();
            sdimage_cache_config_set_directory(config, mkdtemp(folder));
            sdimage_cache *cache = NULL;
            sdimage_manager *manager = NULL;
            if (sdimage_cache_new(config, &cache, NULL) < 0 || sdimage_manager_new(NULL, &manager, NULL) < 0)
                _exit(3);
            limit_time();
            for (size_t cut = 0; cut <= length; cut++) {
                use_text(manager, cache, move_to_edge(edge, (const uint8_t *)texts[i], cut), cut);
                use_text(manager, cache, move_to_edge(edge, (const uint8_t *)texts[i] + cut, length - cut),
                         length - cut);
            }
            _exit(sdimage_cache_close(cache, NULL) < 0 || nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0
                      ? 5
                      : 0);
        }
        judge(texts[i], child);
    }
}

static int use_in_a_child(const char *path, const struct stat *status, int type, struct FTW *where) {
    (void)status, (void)where;
    const char *name = strrchr(path, '.');
    if (type != FTW_F || (name && (strcmp(name, ".py") == 0 || strcmp(name, ".json") == 0)))
        return 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        use_file(path);
    judge(path, child);
    return 0;
}

int main(int count, char **folders) {
    use_texts_in_children();
    for (int i = 1; i < count; i++)
        nftw(folders[i], use_in_a_child, 16, FTW_PHYS);
    if (files == 0)
        puts("not ok page edges: no files");
    else if (bad == 0)
        printf("ok %d files and texts at the edge of a page\n", files);
    return bad || files == 0;
}
