package org.sdimage;

/** What a loader is asked for. */
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

    /** Nobody waits any more. */
    public boolean isCancelled() {
        return isCancelled;
    }

    /** How many bytes will come: for progress. Nothing when the load is over. */
    public synchronized void expect(long length) {
        if (!isOver) {
            Native.sinkExpect(sink, length);
        }
    }

    /** The sink is about to go. */
    synchronized void end() {
        isOver = true;
    }

    void cancel() {
        isCancelled = true;
    }
}
