package org.sdimage;

/** Access of the tests to package-private parts. */
public final class HandleProbe {
    private HandleProbe() {}

    /** The leftovers of an image whose handle could not be created: a null owner simulates a machine without memory. */
    public static String refused(byte[] pixels, int side) {
        long before = Handle.live();
        try {
            new Handle(null, Handle.IMAGE, Native.imageNew(side, side, side, PixelFormat.GRAY8.number, pixels));
            return "a handle without an owner was made";
        } catch (NullPointerException refused) {
            return String.valueOf(Handle.live() - before);
        }
    }

    /** The number of additional handles held in a use that closes its own handle, and after it. */
    public static String closedWhileUsed() {
        long before = Handle.live();
        Handle handle = new Handle(new int[1], Handle.DATA, 0);
        long inside = handle.use(pointer -> {
            handle.close();
            return Handle.live() - before;
        });
        handle.close();
        return inside + " " + (Handle.live() - before);
    }
}
