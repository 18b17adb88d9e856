package org.sdimage;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;

/** Owns one reference to an object of the library, until it is closed or its owner is collected. */
final class Handle {
    /** The kinds of objects, also for the shim. */
    @java.lang.annotation.Native
    static final int IMAGE = 1, RESULT = 2, TASK = 3, MANAGER = 4, CACHE = 5, LOADER = 6, SINK = 7, DATA = 8;


    private static final Cleaner cleaner = Cleaner.create();
    private static final AtomicLong live = new AtomicLong();

    private final Owned owned;
    private final Cleaner.Cleanable cleanable;

    /** The released state; holds no reference to its owner. */
    private static final class Owned implements Runnable {
        private final int kind;
        private final long pointer;
        private int users;
        private boolean isClosed;
        private boolean isReleased;

        Owned(int kind, long pointer) {
            this.kind = kind;
            this.pointer = pointer;
        }

        synchronized boolean enter() {
            users += isClosed ? 0 : 1;
            return !isClosed;
        }

        void leave() {
            change(false);
        }

        @Override
        public void run() {
            change(true);
        }

        private void change(boolean closes) {
            synchronized (this) {
                isClosed |= closes;
                users -= closes ? 0 : 1;
                if (!isClosed || users > 0 || isReleased) {
                    return;
                }
                isReleased = true;
            }
            Native.unref(kind, pointer);
            live.decrementAndGet();
        }
    }

    /** Takes over the reference, also when this throws. Releases it when `owner` is collected, at the latest. */
    Handle(Object owner, int kind, long pointer) {
        try {
            owned = new Owned(kind, pointer);
            cleanable = cleaner.register(owner, owned);
        } catch (Throwable refused) {
            Native.unref(kind, pointer);
            throw refused;
        }
        live.incrementAndGet();
    }

    /**
     * Calls with the address, which stays valid until the call has returned, even if another thread closes the handle
     * or the owner is collected.
     */
    <T> T use(LongFunction<T> call) {
        if (!owned.enter()) {
            throw new IllegalStateException("object: closed");
        }
        try {
            return call.apply(owned.pointer);
        } finally {
            owned.leave();
        }
    }

    /** The same for a call without a result. */
    void run(LongConsumer call) {
        use(pointer -> {
            call.accept(pointer);
            return null;
        });
    }

    /** The same; does nothing after close. */
    void useIfOpen(LongConsumer call) {
        if (owned.enter()) {
            try {
                call.accept(owned.pointer);
            } finally {
                owned.leave();
            }
        }
    }

    /** The object is released after the last use. */
    void close() {
        cleanable.clean();
    }

    static long live() {
        return live.get();
    }
}
