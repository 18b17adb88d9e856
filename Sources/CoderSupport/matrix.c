/* matrix.c: from the code points of a stream to the integers that yuv.c multiplies. Computed once for each image.
 * Called by sdcs_make_image.
 *
 * The matrix combines three steps in one multiplication: the range of samples, the conversion to RGB, and the scale of
 * the output. */
#include "matrix.h"

#include <math.h>

/* Codes of ITU-T H.273, table 4. */
enum {
    IDENTITY = 0,
    BT709 = 1,
    FCC = 4,
    SMPTE240 = 7,
    YCGCO = 8,
    BT2020 = 9,
    BT2020_CONSTANT = 10,
    SMPTE2085 = 11,
    FROM_PRIMARIES = 12
};

/* Chroma is multiplied by 16, the result of its upsampling. */
enum { CHROMA_SCALE = 16 };

/* CIE 1931 chromaticities (x, y) of a code. */
typedef struct primaries {
    int code; /* the code point */
    double red[2], green[2], blue[2], white[2];
} primaries;

/* ITU-T H.273, table 2. */
static const primaries known[] = {
    {1, {0.640, 0.330}, {0.300, 0.600}, {0.150, 0.060}, {0.3127, 0.3290}},
    {4, {0.67, 0.33}, {0.21, 0.71}, {0.14, 0.08}, {0.310, 0.316}},
    {5, {0.64, 0.33}, {0.29, 0.60}, {0.15, 0.06}, {0.3127, 0.3290}},
    {6, {0.630, 0.340}, {0.310, 0.595}, {0.155, 0.070}, {0.3127, 0.3290}},
    {7, {0.630, 0.340}, {0.310, 0.595}, {0.155, 0.070}, {0.3127, 0.3290}},
    {8, {0.681, 0.319}, {0.243, 0.692}, {0.145, 0.049}, {0.310, 0.316}},
    {9, {0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}, {0.3127, 0.3290}},
    {11, {0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, {0.314, 0.351}},
    {12, {0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, {0.3127, 0.3290}},
    {22, {0.630, 0.340}, {0.295, 0.605}, {0.155, 0.077}, {0.3127, 0.3290}},
};

/* Computes the luma weights of red and blue (ITU-T H.273, equations 32 to 37): those for which the primaries yield the
 * white point. */
static void weights_of(const primaries *p, double *kr, double *kb) {
    double rx = p->red[0], ry = p->red[1], gx = p->green[0], gy = p->green[1], bx = p->blue[0], by = p->blue[1];
    double wx = p->white[0], wy = p->white[1], rz = 1 - rx - ry, gz = 1 - gx - gy, bz = 1 - bx - by, wz = 1 - wx - wy;
    double whole = wy * (rx * (gy * bz - by * gz) + gx * (by * rz - ry * bz) + bx * (ry * gz - gy * rz));
    *kr = ry * (wx * (gy * bz - by * gz) + wy * (bx * gz - gx * bz) + wz * (gx * by - bx * gy)) / whole;
    *kb = by * (wx * (ry * gz - gy * rz) + wy * (gx * rz - rx * gz) + wz * (rx * gy - gx * ry)) / whole;
}

/* Finds the luma weights of a matrix code; false if the code does not define them. Unspecified codes, and primaries
 * that are not known, give those of BT.601. */
static bool weights(sdyuv_color color, double *kr, double *kb) {
    switch (color.matrix) {
    case BT709: *kr = 0.2126, *kb = 0.0722; return true;
    case FCC: *kr = 0.30, *kb = 0.11; return true;
    case SMPTE240: *kr = 0.212, *kb = 0.087; return true;
    case BT2020: *kr = 0.2627, *kb = 0.0593; return true;
    case BT2020_CONSTANT:
    case SMPTE2085: return false;
    case FROM_PRIMARIES:
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (known[i].code == color.primaries)
                return weights_of(&known[i], kr, kb), true;
        break;
    default: break;
    }
    /* BT.601 is also the default of MIAF (ISO/IEC 23000-22, 7.3.6.4). */
    *kr = 0.299, *kb = 0.114;
    return color.matrix <= FROM_PRIMARIES && color.matrix != 3;
}

/* Output steps for one step of luma and of chroma, and the sample value of black. */
typedef struct range {
    double luma, chroma, black;
} range;

/* Returns the range of samples: all levels, or 16 to 235 for luma and 16 to 240 for chroma, scaled to the depth.
 * `white` is the highest output. */
static range range_of(const sdyuv_planes *planes, bool full, double white) {
    double unit = (double)(1 << (planes->depth - 8)), top = (double)((1 << planes->depth) - 1);
    range full_range = {white / top, white / top, 0}, limited = {white / (219 * unit), white / (224 * unit), 16 * unit};
    return full ? full_range : limited;
}

/* Converts to fixed point. `by_row` has red, green and blue, each from luma, the first and the second chroma. The
 * offset includes half a unit, for rounding. */
static void store(sdyuv_matrix *m, const double by_row[3][3], range range) {
    double one = (double)(1 << m->shift);
    for (int i = 0; i < 3; i++) {
        m->from_luma[i] = (int32_t)lround(by_row[i][0] * range.luma * one);
        m->from_cb[i] = (int32_t)lround(by_row[i][1] * range.chroma * one / CHROMA_SCALE);
        m->from_cr[i] = (int32_t)lround(by_row[i][2] * range.chroma * one / CHROMA_SCALE);
        m->offset[i] = (int32_t)lround(one / 2 - by_row[i][0] * range.luma * range.black * one);
    }
}

bool sdyuv_matrix_make(sdyuv_matrix *m, const sdyuv_planes *planes, sdyuv_color color, bool wide) {
    if (planes->depth < 8 || planes->depth > 12)
        return false;
    /* The highest precision in 32 bits: results reach three times white before they are clamped. */
    m->shift = wide ? 12 : 20;
    range range = range_of(planes, color.full_range, wide ? 65535 : 255);
    double kr, kb;
    if (color.matrix == IDENTITY && planes->cb) {
        /* Three luma planes, in the order green, blue, red. The middle that is subtracted from chroma is added
         * again. */
        static const double rows[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
        if (planes->shift_x || planes->shift_y)
            return false;
        range.chroma = range.luma;
        store(m, rows, range);
        double middle = (double)(1 << (planes->depth - 1)) - range.black;
        m->offset[0] = m->offset[2] = (int32_t)lround(((range.luma * middle) + 0.5) * (double)(1 << m->shift));
        return true;
    }
    if (color.matrix == YCGCO && planes->cb) {
        /* Red, green and blue from Y, Cg and Co. */
        static const double rows[3][3] = {{1, -1, 1}, {1, 1, 0}, {1, -1, -1}};
        store(m, rows, range);
        return true;
    }
    /* Any weights will do for gray: luma alone counts. */
    if (!planes->cb)
        kr = 0.299, kb = 0.114;
    else if (!weights(color, &kr, &kb))
        return false;
    double kg = 1 - kr - kb;
    const double rows[3][3] = {
        {1, 0, 2 * (1 - kr)}, {1, -2 * kb * (1 - kb) / kg, -2 * kr * (1 - kr) / kg}, {1, 2 * (1 - kb), 0}};
    store(m, rows, range);
    return true;
}
