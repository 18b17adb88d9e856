package org.sdimage;

/** Decode options. The defaults: full size, upright, in sRGB. Immutable: each method returns a copy. */
public final class DecodeOptions {
    /** The defaults. */
    public static final DecodeOptions DEFAULT = new DecodeOptions(new long[] {0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0});

    private final long[] values;

    private DecodeOptions(long[] values) {
        this.values = values;
    }

    private DecodeOptions with(int index, long value) {
        if (value < 0) {
            throw new IllegalArgumentException("a negative number");
        }
        long[] copy = values.clone();
        copy[index] = value;
        return new DecodeOptions(copy);
    }

    private DecodeOptions with(int index, boolean value) {
        return with(index, value ? 1 : 0);
    }

    /** A box in pixels. The image is scaled down into it while it is decoded; nothing is enlarged. */
    public DecodeOptions thumbnail(int width, int height) {
        return with(0, width).with(1, height).with(2, ScaleMode.ASPECT_FIT.number);
    }

    /** The same with another fit than ASPECT_FIT. */
    public DecodeOptions thumbnail(int width, int height, ScaleMode mode) {
        return thumbnail(width, height).with(2, mode.number);
    }

    /** Default AUTOMATIC. */
    public DecodeOptions pixelFormat(PixelFormat format) {
        return with(3, format.number);
    }

    /** Default SDR; the others decode an image that has more than the range of SDR to RGBA_FLOAT. */
    public DecodeOptions dynamicRange(DynamicRange range) {
        return with(11, range.number);
    }

    /** The headroom of the display for DynamicRange.AUTOMATIC, in stops above SDR white. Negative numbers count as 0. */
    public DecodeOptions displayHeadroom(double stops) {
        return with(12, Double.doubleToLongBits(Math.max(stops, 0)));
    }

    /** Default false; true leaves the base image with its gain map, for Image.applyGainMap and EncodeOptions.embedGainMap. */
    public DecodeOptions keepGainMap(boolean keep) {
        return with(13, keep);
    }

    /** Default false; true decodes an animation as a still. */
    public DecodeOptions firstFrameOnly(boolean only) {
        return with(4, only);
    }

    /** Default true. */
    public DecodeOptions applyOrientation(boolean apply) {
        return with(5, apply);
    }

    /** Default true. */
    public DecodeOptions convertToSrgb(boolean convert) {
        return with(6, convert);
    }

    /** Default false: truncated or damaged bytes are an error. */
    public DecodeOptions acceptPartial(boolean accept) {
        return with(7, accept);
    }

    /** Scales down until the bitmap takes at most this many bytes; 0 is no limit. */
    public DecodeOptions limitBytes(long bytes) {
        return with(8, bytes);
    }

    /** A safety limit for the number of pixels in the header; 0 is the library's limit. */
    public DecodeOptions maxPixels(long pixels) {
        return with(9, pixels);
    }

    /** A safety limit for the bytes of the bitmap; 0 is the library's limit. */
    public DecodeOptions maxBytes(long bytes) {
        return with(10, bytes);
    }

    long[] values() {
        return values;
    }
}
