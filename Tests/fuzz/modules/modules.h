/* modules.h: the functions of modules and plug-ins that create their coders, which the module map of the public
 * headers omits. */
#include "sdimage/plugins/av.h"
#include "sdimage/plugins/avif.h"
#include "sdimage/plugins/heif.h"
#include "sdimage/plugins/jxl.h"
#include "sdimage/plugins/pdf.h"
#include "sdimage/plugins/svg.h"
#include "sdimage/plugins/tiff.h"
