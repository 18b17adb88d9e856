package org.sdimage;

/** Hears of a load, on the executor of its manager, one call at a time. What it throws goes to the thread's handler. */
public interface LoadListener {
    /** Bytes so far, and in all; -1 = unknown. */
    default void progress(long received, long expected) {}

    /** A part of the picture, or the cached one while its origin is asked. */
    default void partial(Result result) {}
}
