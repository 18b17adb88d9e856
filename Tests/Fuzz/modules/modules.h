/* modules.h: the functions by which modules and plug-ins make their coders; the module of the public headers leaves
   them out. */
#include "../../../include/sdimage/plugins/av.h"
#include "../../../include/sdimage/plugins/avif.h"
#include "../../../include/sdimage/plugins/heif.h"
#include "../../../include/sdimage/plugins/jxl.h"
#include "../../../include/sdimage/plugins/pdf.h"
#include "../../../include/sdimage/plugins/svg.h"
#include "../../../include/sdimage/plugins/tiff.h"
