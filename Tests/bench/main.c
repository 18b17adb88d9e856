/* Measures the library through its C functions, as a worker process.
 *
 *   sdimage-bench KIND name=value...
 *
 * Prints `ready`, or `skip WHY`. For each line `run N` on standard input it performs N operations and prints
 * `ok wall=SECONDS cpu=SECONDS ops=N rss_kb=PEAK`. It exits at the end of input. A driver can thus alternate between
 * the measurements of several programs.
 *
 *   decode     file= workers=0|1                       one image to rgba8
 *   thumb      file= size=                             the same into a box of size x size
 *   anim       file= shows=0|1 workers=0|1             all frames of an animation to rgba8; shows=1: holds each frame
 *                                                      until the next is ready; workers=0: no frame is decoded ahead
 *   anim_seek  file=                                   one frame of an opened animation, in random order
 *   play       file= buffer=BYTES                      the same by a player; tick: a tick that changes nothing
 *   players    file= players= pictures= seconds= hertz= many concurrent players, ticked at display rate; prints a line
 *              rate= drops=0|1 limit_mb=               of its own: frames shown, late, delayed by more than a tick,
 *                                                      memory, threads, CPU
 *   encode     file= w= h= fmt=jpeg|png|webp|…         raw RGBA from a file to a file in memory; alpha=1: scans alpha
 *              q= restart= lossless= level= method=
 *   resize     file= w= h= dw= dh= filter=lanczos|area raw premultiplied RGBA from a file, to another size
 *   blur       file= w= h= sigma=                      premultiplied RGBA
 *   rotate90, flip, premultiply   file= w= h=          RGBA
 *   memcache   items= threads= apart=                  one look-up; mixed: every 16th is a store; put: a store of a new
 *              op=get|mixed|put|load                   image into a full cache; load: a look-up by a manager; apart=1:
 *                                                      each thread has its own images
 *   diskcache  dir= entries= vsize= op=put|get|open    one entry; put: committed at the end of the run (sync=1: each
 *              op=trim|totals|contains|wait            put by itself); open: includes one get; trim: removes the oldest
 *                                                      tenth and refills it outside the measured time (watch=1: prints
 *                                                      the longest waits of another thread); wait: one look-up and one
 *                                                      store per millisecond, prints the longest, for a process beside
 *                                                      one that trims
 *   fetch      url= list= dir= size= conc= h2=         all names of the list, to thumbnails; disk: from originals on
 *              mode=fetchonly|cold|disk|thumbs|memory  disk; thumbs: from thumbnails on disk, stored as BMP with
 *              fmt=bmp
 *   batch      url= list= size= op=batch|loads         all names of the list, into one array; loads: by a load for each
 *                                                      image, resized and copied by the program
 *   submit     loads= op=miss|hit                      the call that starts a load, as processor time of its thread;
 *                                                      miss: waits for a silent server; hit: memory completes it
 *   waiting    loads=                                  prints the memory of each waiting load
 *   prefetch   urls=                                   one group of that many URLs, prints its memory
 *
 * Scale: memcache items=1000 to 1000000, diskcache entries=1000 to 1000000, players players=200 pictures=200.
 * Tests/bench/run runs kinds that need no other program on generated data, and compares ratios and memory with
 * budgets. */
#include "worker.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: sdimage-bench KIND name=value...\n", stderr);
        return 2;
    }
    const char *kind = argv[1];
    set_parameters(argv + 2, argc - 2);
    if (!strcmp(kind, "decode"))
        return serve_decode(0);
    if (!strcmp(kind, "thumb"))
        return serve_decode((uint32_t)number_of("size", 256));
    if (!strcmp(kind, "anim"))
        return serve_anim(false);
    if (!strcmp(kind, "anim_seek"))
        return serve_anim(true);
    if (!strcmp(kind, "play"))
        return serve_play();
    if (!strcmp(kind, "tick"))
        return serve_tick();
    if (!strcmp(kind, "players"))
        return run_players();
    if (!strcmp(kind, "submit"))
        return serve_submit();
    if (!strcmp(kind, "waiting"))
        return run_waiting();
    if (!strcmp(kind, "prefetch"))
        return run_prefetch();
    if (!strcmp(kind, "batch"))
        return serve_batch();
    if (!strcmp(kind, "encode"))
        return serve_encode();
    if (!strcmp(kind, "memcache"))
        return serve_memcache();
    if (!strcmp(kind, "diskcache"))
        return serve_diskcache();
    if (!strcmp(kind, "fetch"))
        return serve_fetch();
    return serve_pixels(kind);
}
