/* modules.h: the functions by which modules make their coders; the module of the public headers leaves them out. */
#include "../../../include/sdimage/plugins/avif.h"
#include "../../../include/sdimage/plugins/heif.h"
