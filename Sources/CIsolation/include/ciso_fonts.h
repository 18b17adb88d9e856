/* ciso_fonts.h: fonts of the system for the sandbox. See ciso_worker.h for results. */
#ifndef CISO_FONTS_H
#define CISO_FONTS_H

/* Keeps all fonts of the system if libfontconfig is open in this process, and lets it look for changed fonts no
   longer. 0 also without fonts. ENOSPC: more than CISO_MAX_FILES. */
int ciso_keep_fonts(void);

#endif
