package org.sdimage;

import java.io.InputStream;

/** Fetches bytes from any source. */
@FunctionalInterface
public interface Loader {
    /**
     * Opens the content of a URL, which is read to its end and closed. Called on a thread of its own, which is
     * interrupted when no caller is waiting any longer; may block. An SdimageException is the error of the load,
     * anything else becomes INTERNAL_ERROR.
     */
    InputStream load(LoaderRequest request) throws Exception;
}
