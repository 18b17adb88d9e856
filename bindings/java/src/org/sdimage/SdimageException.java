package org.sdimage;

import java.util.Objects;

/** An error of the library. */
public final class SdimageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String code;
    private final int httpStatus;
    private final String url;
    private final boolean isTransient;

    /** Creates an error, for loaders; `code` is a name such as "NOT_FOUND". */
    public SdimageException(String code, String message) {
        this(code, message, 0, "", false);
    }

    SdimageException(String code, String message, int httpStatus, String url, boolean isTransient) {
        super(message);
        this.code = Objects.requireNonNull(code, "error: code is null");
        this.httpStatus = httpStatus;
        this.url = url;
        this.isTransient = isTransient;
    }

    /** The name of a status of sdimage/error.h without its prefix: "CANCELLED", "HTTP_STATUS", "TOO_LARGE", … */
    public String code() {
        return code;
    }

    /** The HTTP status of the refused response; 0 if HTTP was not involved. */
    public int httpStatus() {
        return httpStatus;
    }

    /** The URL without user and password; empty if no URL was involved. */
    public String url() {
        return url;
    }

    /** True if the same operation may succeed later. */
    public boolean isTransient() {
        return isTransient;
    }

    @Override
    public String toString() {
        return "SdimageException: " + code + ": " + getMessage();
    }
}
