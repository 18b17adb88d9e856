package org.sdimage;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;

/** Owns one reference to an object of the library, until it is closed or its owner is collected. */
final class Handle {
    static final int IMAGE = 1, RESULT = 2, TASK = 3, MANAGER = 4, CACHE = 5, LOADER = 6, SINK = 7, DATA = 8;

    private static final Cleaner cleaner = Cleaner.create();
    private static final AtomicLong live = new AtomicLong();

    private final Owned owned;
    private final Cleaner.Cleanable cleanable;

    /** What is released; knows nothing of its owner. */
    private static final class Owned implements Runnable {
        private final int kind;
        private long pointer;

        Owned(int kind, long pointer) {
            this.kind = kind;
            this.pointer = pointer;
            live.incrementAndGet();
        }

        @Override
        public void run() {
            Native.unref(kind, pointer);
            pointer = 0;
            live.decrementAndGet();
        }
    }

    /** Releases `pointer` when `owner` is collected, at the latest. */
    Handle(Object owner, int kind, long pointer) {
        owned = new Owned(kind, pointer);
        cleanable = cleaner.register(owner, owned);
    }

    /** The address. The caller keeps the owner reachable until its call has returned. */
    long pointer() {
        if (owned.pointer == 0) {
            throw new IllegalStateException("it was closed");
        }
        return owned.pointer;
    }

    boolean isOpen() {
        return owned.pointer != 0;
    }

    void close() {
        cleanable.clean();
    }

    static long live() {
        return live.get();
    }
}
