package org.sdimage;

/** The request that a loader receives. */
public final class LoaderRequest {
    private final String url;
    private final long sink;
    private volatile boolean isCancelled;
    private boolean isOver;

    LoaderRequest(String url, long sink) {
        this.url = url;
        this.sink = sink;
    }

    public String url() {
        return url;
    }

    /** True if no caller is waiting any longer. */
    public boolean isCancelled() {
        return isCancelled;
    }

    /**
     * Announces the number of bytes to come, for progress. Does nothing for a negative number, such as the length of a
     * URLConnection that is unknown, and after the end of the load.
     */
    public synchronized void expect(long length) {
        if (length >= 0 && !isOver) {
            Native.sinkExpect(sink, length);
        }
    }

    /** Called before the sink is released. */
    synchronized void end() {
        isOver = true;
    }

    void cancel() {
        isCancelled = true;
    }
}
