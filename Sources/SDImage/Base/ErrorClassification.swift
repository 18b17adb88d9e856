/// Classification of errors: the only place that decides what a status means for the rest of a load.
/// Loaders, stages, caches and players ask these questions instead of listing statuses of their own.
extension ImageError {
    /// True if a retry with the same bytes would fail in the same way.
    /// Decides if an animation or a progressive decoder gives up a frame for good.
    package var isLasting: Bool {
        switch status {
        case .cancelled, .timeout, .noMemory, .internalError: false
        default: true
        }
    }

    /// True if the same load may succeed later without any change.
    /// The host asks it through the C interface.
    package var isTransient: Bool {
        switch status {
        case .noMemory, .timeout, .busy, .resolveFailed, .connectFailed, .connectionLost, .diskFull, .offline, .failedURL: true
        // A 408, 425 or 429 asks for a later attempt; other 4xx statuses would be repeated.
        case .httpStatus: [408, 425, 429].contains(httpStatus) || (500...599).contains(httpStatus)
        default: false
        }
    }

    /// True if no coder can decode the bytes, now or later.
    /// Such an entry of a cache is removed, and the image is loaded again.
    package var meansUnreadable: Bool {
        switch status {
        case .badData, .truncated, .notAnImage, .emptyData: true
        default: false
        }
    }

    /// True if the error says something about the URL, and not about this load or this process.
    /// Only such an error may put the URL on the list of failed URLs.
    package var concernsURL: Bool {
        switch status {
        case .cancelled, .shutdown, .noMemory, .failedURL, .offline: false
        default: true
        }
    }

    /// True for definite failures: resources that are gone, and URLs that can never be loaded.
    /// A loader remembers them by default; a failed URL is then refused for a while without a request.
    package var isDefinite: Bool {
        switch status {
        case .invalidURL, .schemeForbidden, .badData, .notAnImage, .emptyData, .photosNotAnImage: true
        case .httpStatus: [404, 410, 451].contains(httpStatus)
        default: false
        }
    }

    /// True for an error that a stored image must not replace: the load was cancelled or refused, or the origin was reached and
    /// refused this very image.
    /// After other failures of the network, a stored image that has expired may be delivered instead.
    package var forbidsStaleImage: Bool {
        switch status {
        case .cancelled, .shutdown, .forked, .addressForbidden, .redirectForbidden, .invalidRequest, .authenticationFailed: true
        case .httpStatus: 400..<500 ~= httpStatus && ![408, 425, 429].contains(httpStatus)
        // The refusal repeats an earlier failure, so the cause decides.
        case .failedURL: cause.map(\.forbidsStaleImage) ?? true
        default: false
        }
    }

    /// True if a load must end with the error of its transformer; otherwise the image is delivered untransformed.
    package var endsTransformedLoad: Bool { status == .cancelled || status == .noMemory }
}
