/* avif.h: the coder of the AVIF module, lib/sdimage/1/avif.so: stills and sequences, by libavif.
 *
 * Programs do not need this header: the built-in coder "avif" opens the module at the first AVIF image. It is for
 * programs that link or open the module themselves. */
#ifndef SDIMAGE_PLUGINS_AVIF_H
#define SDIMAGE_PLUGINS_AVIF_H

#include "../coder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the coder, to be registered or used by name. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_avif_coder_new(sdimage_coder **coder, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
