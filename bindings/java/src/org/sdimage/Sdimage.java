package org.sdimage;

/** What belongs to no object. */
public final class Sdimage {
    private Sdimage() {}

    /** The version of the library, "1.2.3". */
    public static String version() {
        return Native.version();
    }

    /** What a bug report starts with, as a JSON object. */
    public static String doctor() {
        return Native.string(Native.text(0));
    }

    /** The numbers of the process in the text format of Prometheus. */
    public static String metrics() {
        return Native.string(Native.text(1));
    }

    /** What a header says, as a JSON object: "format", "width", "height", "frame_count", … as of sdimage_info. */
    public static String info(byte[] bytes) {
        return Native.string(Native.info(bytes));
    }

    /** The format by its signature; null when none matches. */
    public static Format sniff(byte[] bytes) {
        return Format.of(Native.sniff(bytes));
    }

    /** Objects of the library that this program holds: for tests of leaks. */
    public static long liveHandles() {
        return Handle.live();
    }
}
