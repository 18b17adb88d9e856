/* sys.h: the headers for programs that implement parts of the library.
 *
 *   sys/cache.h        caches and their entries
 *   sys/coder.h        coders
 *   sys/frames.h       frames of animations
 *   sys/loader.h       loaders
 *   sys/source.h       sources of bytes
 *   sys/transformer.h  transformers
 *   sys/transport.h    HTTP clients */
#ifndef SDIMAGE_SYS_H
#define SDIMAGE_SYS_H

#include "sys/cache.h"
#include "sys/coder.h"
#include "sys/frames.h"
#include "sys/loader.h"
#include "sys/source.h"
#include "sys/transformer.h"
#include "sys/transport.h"

#endif
