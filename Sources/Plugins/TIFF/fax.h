/* fax.h: facsimile data whose compression tag is wrong. */
#ifndef SDTIFF_FAX_H
#define SDTIFF_FAX_H

#include "input.h"

/* Some writers mark rows without end-of-line codes as Group 3, compression 3, in which each row has one (ITU-T T.4,
 * 4.1.2). Changes the compression of such a directory to that of rows without codes, compression 2 (TIFF 6.0, section
 * 10), with or without alignment of rows to bytes. */
void sdtiff_correct_fax(sdtiff_input *input);

#endif
