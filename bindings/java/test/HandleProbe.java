package org.sdimage;

/** What tests see of what is not public. */
public final class HandleProbe {
    private HandleProbe() {}

    /** How many handles more are held in a use that closes its own, and after it. */
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
