package org.sdimage;

import java.io.InputStream;

/** Fetches bytes from anywhere. */
@FunctionalInterface
public interface Loader {
    /**
     * Opens what a URL stands for; it is read to its end and closed. Called on a thread of its own, which is interrupted when
     * nobody waits any more; may block. An SdimageException is the error of the load, anything else INTERNAL_ERROR.
     */
    InputStream load(LoaderRequest request) throws Exception;
}
