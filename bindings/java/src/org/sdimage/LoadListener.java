package org.sdimage;

/**
 * Receives the events of a load, on the executor of its manager, one call at a time. While the executor is behind, only
 * the latest partial image and the latest progress wait for it. Exceptions go to the thread's handler.
 */
public interface LoadListener {
    /** Bytes received so far, and expected in total; -1 = unknown. */
    default void progress(long received, long expected) {}

    /** Receives a partial image, or the cached one while it is revalidated. */
    default void partial(Result result) {}
}
