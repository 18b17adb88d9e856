package org.sdimage;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An image: immutable pixels in memory of the library. Use it from any thread. Closing it is optional and releases the
 * memory at once.
 */
public final class Image implements AutoCloseable {
    private final Handle handle;
    private final long[] fields;

    /** Takes over the reference. */
    Image(long pointer) {
        handle = new Handle(this, Handle.IMAGE, pointer);
        try {
            fields = Native.imageFields(pointer);
        } catch (Throwable refused) {
            handle.close();
            throw refused;
        }
    }

    static Image orNull(long pointer) {
        return pointer == 0 ? null : new Image(pointer);
    }

    /** Decodes, on the calling thread. */
    public static Image decode(byte[] bytes, DecodeOptions options) {
        return new Image(Native.decode(bytes, options.values()));
    }

    public static Image decode(byte[] bytes) {
        return decode(bytes, DecodeOptions.DEFAULT);
    }

    /** Copies pixels: rows from top to bottom, `stride` bytes apart. */
    public static Image ofPixels(int width, int height, int stride, PixelFormat format, byte[] pixels) {
        return new Image(Native.imageNew(width, height, stride, format.number, pixels));
    }

    public int width() {
        return (int) fields[0];
    }

    public int height() {
        return (int) fields[1];
    }

    /** Bytes from one row to the next. */
    public int stride() {
        return (int) fields[2];
    }

    /** Null for formats of another version. */
    public PixelFormat pixelFormat() {
        return PixelFormat.of(fields[3]);
    }

    /** The container that the image was decoded from; null for images created from pixels. */
    public Format format() {
        return Format.of(fields[4]);
    }

    public boolean hasAlpha() {
        return fields[5] != 0;
    }

    /** Size of the encoded image: larger than the size of a thumbnail. */
    public int sourceWidth() {
        return (int) fields[6];
    }

    public int sourceHeight() {
        return (int) fields[7];
    }

    /** 1 for a still. */
    public int frameCount() {
        return (int) fields[8];
    }

    /** 0 repeats forever. */
    public int loopCount() {
        return (int) fields[9];
    }

    /** Duration of one loop in milliseconds. */
    public long durationMs() {
        return fields[10];
    }

    public boolean isThumbnail() {
        return fields[11] != 0;
    }

    /** True if a part of the image has not arrived. */
    public boolean isIncremental() {
        return fields[12] != 0;
    }

    /** Headroom of the pixels in stops above SDR white; 0 for SDR. */
    public double headroom() {
        return Double.longBitsToDouble(fields[13]);
    }

    /**
     * Headroom of the brightest rendition of the file in stops: that of its gain map if it was applied or kept, or
     * of PQ and HLG; 0 for SDR.
     */
    public double contentHeadroom() {
        return Double.longBitsToDouble(fields[14]);
    }

    /**
     * The rows, stride() bytes apart, in the library's own memory: a direct buffer without a copy, read-only, in native
     * byte order. It stays valid as long as it, or a buffer derived from it, is reachable, also after the image is
     * closed.
     */
    public ByteBuffer pixels() {
        return handle.use(image -> {
            ByteBuffer memory = Native.imagePixels(image);
            new Handle(memory, Handle.IMAGE, image);
            // A view refers to `memory`, whose collection releases the reference.
            return memory.asReadOnlyBuffer().order(ByteOrder.nativeOrder());
        });
    }

    /** Converts to another pixel format. */
    public Image convert(PixelFormat format) {
        return handle.use(image -> new Image(Native.imageConvert(image, format.number)));
    }

    /**
     * Applies the gain map that DecodeOptions.keepGainMap left, for a display with a headroom in stops; infinity selects
     * the headroom of the content. The result is RGBA_FLOAT, or the same pixels if they are the rendition.
     */
    public Image applyGainMap(double headroom) {
        return handle.use(image -> new Image(Native.imageApplyGainMap(image, headroom)));
    }

    /** A frame of an animation, composed to the whole canvas. */
    public Image frame(int index) {
        return handle.use(image -> new Image(Native.imageFrame(image, index)));
    }

    /** The display duration of a frame in milliseconds. */
    public int frameDurationMs(int index) {
        return handle.use(image -> Native.imageFrameDuration(image, index));
    }

    /** Encodes the image as a file. */
    public byte[] encode(Format format, EncodeOptions options) {
        return handle.use(image -> Native.encode(image, format.number, options.values()));
    }

    public byte[] encode(Format format) {
        return encode(format, EncodeOptions.DEFAULT);
    }

    Handle handle() {
        return handle;
    }

    @Override
    public void close() {
        handle.close();
    }

    @Override
    public String toString() {
        return "Image " + width() + " x " + height() + " " + pixelFormat();
    }
}
