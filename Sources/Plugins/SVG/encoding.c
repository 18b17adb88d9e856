/* encoding.c: the list of encodings that contain ASCII (see encoding.h). Unknown names count as incompatible. */
#include "encoding.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

bool sdsvg_is_ascii_compatible(const char *encoding) {
    /* Beginnings of names, followed by a number or letters. */
    static const char *const families[] = {"ISO-8859", "ISO8859", "ISO_8859", "LATIN",
                                           "WINDOWS-", "CP12",    "KOI8",     "EUC"};
    static const char *const names[] = {"UTF-8", "UTF8",  "ASCII", "US-ASCII", "SHIFT_JIS", "SHIFT-JIS", "SJIS",
                                        "CP932", "GBK",   "CP936", "GB2312",   "GB18030",   "BIG5",      "BIG5-HKSCS",
                                        "CP950", "CP949", "UHC",   "TIS-620",  "CP874",     "MACINTOSH", "MAC"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (!strncasecmp(encoding, families[i], strlen(families[i])))
            return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(encoding, names[i]))
            return true;
    return false;
}
