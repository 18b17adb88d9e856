import CCurl
import SDImage

/// Decides how a load continues after a response: accept it, follow a redirect, restart, or fail.
/// All functions run on the transfer thread and have no effect beyond the transfer.
enum ResponseRules {
    enum Verdict {
        /// The body is the image, or the response confirms the cached one (304).
        case take
        /// The value of `Location`.
        case redirect([UInt8])
        /// The partial response does not continue the received bytes, or the range is not satisfiable (416).
        case restart
        /// No image, unless a response hook accepts it.
        case fail(ImageError)
    }

    /// Parses one line of the head and, at its end, decides how the body is treated. False ends the transfer.
    /// Called for each line that libcurl passes, including those of interim responses.
    static func takeHead(_ line: UnsafeRawBufferPointer, of transfer: Transfer) -> Bool {
        let hop = transfer.hop
        transfer.noteActivity()
        if hop.isHeadAwaited {
            hop.isHeadAwaited = false
            if let descriptor = hop.descriptor { hop.sockets?.didBeginResponse(descriptor) }
        }
        // Counted over all responses of the transfer: redirects and interim responses could be endless.
        transfer.course.headBytes += line.count
        guard transfer.course.headBytes <= ResponseHead.longest else {
            hop.failure = .tooLarge("http: response header of \(transfer.course.headBytes) bytes", limit: ResponseHead.longest)
            return false
        }
        // An interim response (1xx) has no body and precedes another response.
        guard unsafe hop.head.take(line), hop.head.status >= 200 else { return true }
        return endHead(hop, of: transfer)
    }

    /// Decides how the body is treated, and reports the response. False ends the transfer.
    /// Called once for each final response.
    private static func endHead(_ hop: Hop, of transfer: Transfer) -> Bool {
        hop.respondedAt = MonotonicClock.wall
        switch verdict(transfer) {
        case .take: transfer.beginBody()
        // Keeps the body, because the response hook may still make the response acceptable.
        case .fail where transfer.download.hooks?.response != nil: transfer.beginBody()
        case .fail, .redirect, .restart: hop.disposition = .discard
        }
        if hop.disposition == .keep {
            do throws(ImageError) { try transfer.beginDecoding() } catch {
                hop.failure = error
                return false
            }
        }
        // A redirect is no response to the caller.
        if !RedirectRules.isRedirect(hop.head.status) {
            transfer.reportResponse()
            transfer.report(.responded)
        }
        return true
    }

    /// The same for a response that arrives in one piece.
    static func takeHead(_ response: DownloadResponse, of transfer: Transfer) -> Bool {
        ResponseHead.lines(response).allSatisfy { line in
            let span = line.span
            return unsafe span.withUnsafeBytes { line in unsafe takeHead(line, of: transfer) }
        }
    }

    /// Judges the response by its head alone.
    /// Called at the end of the head, and again when the hop has ended.
    static func verdict(_ transfer: Transfer) -> Verdict {
        let hop = transfer.hop, settings = transfer.settings, status = hop.head.status
        if RedirectRules.isRedirect(status), let location = hop.head.location { return .redirect(location) }
        // Only a condition of the request makes 304 meaningful.
        if status == 304 {
            if transfer.isConditional { return .take }
            // The condition was for another URL of the chain: the image is not confirmed, whatever statuses are acceptable.
            if transfer.download.request.conditionTarget != .unknown {
                return .fail(ImageError(.httpStatus, "http: response has status 304", httpStatus: 304))
            }
        }
        // A resumed transfer expects the rest of the body, or the complete one.
        if let resuming = hop.resuming {
            if status == 206 { return resuming.total(continuedBy: hop.head) == nil ? .restart : .take }
            if status == 416 { return .restart }
        }
        if let acceptable = settings.configuration.acceptableStatuses, !acceptable.contains(where: { $0.contains(status) }) {
            if status == 401, transfer.sendsCredential {
                return .fail(ImageError(.authenticationFailed, "http: user, password or token refused", httpStatus: 401))
            }
            return .fail(ImageError(.httpStatus, "http: response has status \(status)", httpStatus: status))
        }
        // The caller would take the part for the whole image.
        if status == 206, !transfer.download.sends(["range"]) {
            return .fail(ImageError(.invalidResponse, "http: partial content without a range request", httpStatus: 206))
        }
        if let acceptable = settings.configuration.acceptableContentTypes, !hop.head.mediaType.isEmpty,
            !acceptable.contains(hop.head.mediaType)
        {
            return .fail(
                ImageError(.contentType, "http: content type \(hop.head.mediaType) is not acceptable", httpStatus: status))
        }
        return .take
    }
}
