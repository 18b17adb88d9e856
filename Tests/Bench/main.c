/* Measures the library through its C functions, as a worker process.
 *
 *   sdimage-bench KIND name=value...
 *
 * prints `ready`, or `skip WHY`; then for each line `run N` on standard input it does the operation N times, prints
 * `ok wall=SECONDS cpu=SECONDS ops=N rss_kb=PEAK`; it ends at the end of input. So several programs can be measured in
 * turns, by whatever starts them.
 *
 *   decode     file= workers=0|1                       one picture to rgba8
 *   thumb      file= size=                             the same into a box of size x size
 *   anim       file= shows=0|1                         all frames of an animation to rgba8; shows=1: each is held until
 *                                                      the next is there
 *   anim_seek  file=                                   one frame of an opened animation, in no order
 *   play       file= buffer=BYTES                      the same by a player; tick: a tick that changes nothing
 *   players    file= players= pictures= seconds= hertz= many players at once, ticked as by a screen; prints one line on its
 *              rate= drops=0|1 limit_mb=               own: frames shown, late, delayed by more than a tick, memory, threads, CPU
 *   encode     file= w= h= fmt=jpeg|png|webp|…         RGBA, as lies in a file, to a file in memory; alpha=1: looked at
 *              q= restart= lossless= level= method=
 *   resize     file= w= h= dw= dh= filter=lanczos|area premultiplied RGBA, as lies in a file, to another size
 *   blur       file= w= h= sigma=                      premultiplied RGBA
 *   rotate90, flip, premultiply   file= w= h=          RGBA
 *   memcache   items= threads= op=get|mixed apart=     one look-up; mixed: every 16th is a store; apart=1: of pictures
 *                                                      that no other thread asks for
 *   diskcache  dir= entries= vsize= op=put|get|open    one entry; put: committed at the end of the run (sync=1: each by
 *              op=trim|totals|contains|wait            itself); open: and one get; trim: the oldest tenth goes, which is
 *                                                      filled up again outside the clock (watch=1: tells the longest waits
 *                                                      of another thread); wait: a look-up and a store each millisecond,
 *                                                      and tells the longest, for a process beside one that trims
 *   fetch      url= list= dir= size= conc= h2=         all names of the list, to thumbnails
 *              mode=fetchonly|cold|disk|memory */
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
