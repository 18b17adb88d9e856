/* The orientation in XMP (docs/decisions.md, "Small formats are implemented in Swift and in C"). */
#include "xmp.h"

#include <string.h>

/* Reports white space of ASCII, which includes that of XML. */
static bool is_space(uint8_t byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static void pass_space(sdcs_span *span) {
    while (span->length && is_space(*span->bytes))
        sdcs_skip(span, 1);
}

/* Returns the number after the name, 1 to 8; 0 if there is none. An attribute is followed by "=" and a quoted value, an
 * element by ">". */
static unsigned number_after(sdcs_span rest) {
    pass_space(&rest);
    if (!rest.length)
        return 0;
    if (*rest.bytes == '=') {
        sdcs_skip(&rest, 1);
        pass_space(&rest);
        if (!rest.length || (*rest.bytes != '"' && *rest.bytes != '\''))
            return 0;
    } else if (*rest.bytes != '>') {
        return 0;
    }
    sdcs_skip(&rest, 1);
    pass_space(&rest);
    /* A number of two digits is no orientation. */
    bool is_number = rest.length && *rest.bytes >= '1' && *rest.bytes <= '8';
    bool is_longer = rest.length > 1 && rest.bytes[1] >= '0' && rest.bytes[1] <= '9';
    return is_number && !is_longer ? *rest.bytes - '0' : 0;
}

sdimage_orientation sdcs_xmp_orientation(sdcs_span packet) {
    static const char name[] = "tiff:Orientation";
    const size_t length = sizeof name - 1;
    while (packet.length >= length) {
        /* The packet is searched as text, without an XML parser. */
        const uint8_t *next = memchr(packet.bytes, name[0], packet.length - length + 1);
        if (!next)
            break;
        sdcs_skip(&packet, (size_t)(next - packet.bytes));
        if (memcmp(packet.bytes, name, length)) {
            sdcs_skip(&packet, 1);
            continue;
        }
        sdcs_skip(&packet, length);
        unsigned number = number_after(packet);
        if (number)
            return (sdimage_orientation)number;
    }
    return SDIMAGE_ORIENTATION_UP;
}
