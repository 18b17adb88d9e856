/* Code shared by all kinds of measurement: protocol, files, random numbers, parts of the library. */
#ifndef WORKER_H
#define WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sdimage.h>
#include <sdimage/sys.h>

/* The `name=value` arguments of the command line. */
void set_parameters(char **values, int count);
const char *text_of(const char *name, const char *fallback);
long number_of(const char *name, long fallback);

/* End the program: `skip` for measurements that are impossible here, `fail` for errors. */
_Noreturn void skip(const char *why);
_Noreturn void fail(const char *what, sdimage_error *error);

/* Handles the lines of standard input; `run` performs `count` operations and returns the number performed. */
int serve(long (*run)(long count));

double wall_seconds(void);
double cpu_seconds(void);

/* Time of a run that is excluded from the measurement. */
extern double unclocked_wall, unclocked_cpu;

/* Returns the contents with a NUL appended; skips if the file is missing. */
void *read_file(const char *path, size_t *length);
/* Reads the file `list`, one name in each line, and appends each to the address `url`; returns the number of URLs. */
size_t read_list(const char **urls, size_t most);
/* Returns a number of /proc/self/status, such as "VmRSS:"; -1 if it is missing. */
long status_of(const char *name);
void make_folder(const char *path);
uint64_t mix(uint64_t x);

/* Starts the library's workers and holds them until exit. */
void hold_workers(void);
sdimage_cache *open_cache(const char *folder);
void flush_cache(sdimage_cache *cache);

/* Prevents the compiler from removing unused results. */
extern volatile unsigned touched;

/* The kinds of measurement. */
int serve_decode(uint32_t box);
int serve_anim(bool seeks);
int serve_play(void);
int serve_tick(void);
int run_players(void);
int serve_encode(void);
int serve_memcache(void);
int serve_diskcache(void);
int serve_fetch(void);
int serve_submit(void);
int serve_batch(void);
int run_waiting(void);
int run_prefetch(void);
int serve_pixels(const char *kind);

#endif
