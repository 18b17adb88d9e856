import CCurl
import SDImage

/// What an answer means for the load: go on elsewhere, take it, or fail.
enum ResponseRules {
    enum Verdict {
        case take
        case redirect([UInt8])
        /// A part that does not continue what is there.
        case startAnew
        case fail(ImageError)
    }

    private static let conditions = ["if-none-match", "if-modified-since"]

    /// Reads one line of the head and, at its end, decides what happens to the body. False ends the transfer.
    static func takeHead(_ line: UnsafeRawBufferPointer, of transfer: Transfer) -> Bool {
        transfer.noteActivity()
        // On a kept connection the kernel delays what it acknowledges by up to 40 ms, hoping to send it with data; where
        // segments are large, the server waits for it with the rest of the body.
        if transfer.isHeadAwaited, let descriptor = transfer.descriptor { ccurl_acknowledge_promptly(descriptor) }
        transfer.noteHead(line.count)
        guard transfer.headBytes <= ResponseHead.longest else {
            transfer.failure = .tooLarge("size of the response header in bytes", limit: ResponseHead.longest)
            return false
        }
        // An interim answer (1xx) has no body, and another answer follows it.
        if unsafe transfer.head.take(line), transfer.head.status >= 200 {
            transfer.answeredAt = MonotonicClock.wall
            switch verdict(transfer) {
            case .take: transfer.beginBody()
            // What a hook may still make acceptable is kept.
            case .fail where transfer.download.hooks?.response != nil: transfer.beginBody()
            case .fail, .redirect, .startAnew: transfer.disposition = .discard
            }
            if transfer.disposition == .keep {
                do throws(ImageError) { try transfer.beginDecoding() } catch {
                    transfer.failure = error
                    return false
                }
            }
            if !RedirectRules.isRedirect(transfer.head.status) {
                transfer.reportResponse()
                transfer.tell(.responded)
            }
        }
        return true
    }

    /// The same of an answer that came as a whole.
    static func takeHead(_ response: DownloadResponse, of transfer: Transfer) -> Bool {
        ResponseHead.lines(response).allSatisfy { line in
            let span = line.span
            return unsafe span.withUnsafeBytes { line in unsafe takeHead(line, of: transfer) }
        }
    }

    /// Judged by the head alone.
    static func verdict(_ transfer: Transfer) -> Verdict {
        let head = transfer.head, settings = transfer.settings
        if RedirectRules.isRedirect(head.status), let location = head.location { return .redirect(location) }
        if head.status == 304, transfer.download.asks(conditions) { return .take }
        if let resuming = transfer.resuming {
            if head.status == 206 { return resuming.total(continuedBy: head) == nil ? .startAnew : .take }
            if head.status == 416 { return .startAnew }
        }
        if let acceptable = settings.configuration.acceptableStatuses, !acceptable.contains(where: { $0.contains(head.status) }) {
            if head.status == 401, transfer.sendsCredential {
                return .fail(ImageError(.authenticationFailed, "user, password or token refused", httpStatus: 401))
            }
            return .fail(ImageError(.httpStatus, "HTTP status \(head.status)", httpStatus: head.status))
        }
        if head.status == 206, !transfer.download.asks(["range"]) {
            return .fail(ImageError(.invalidResponse, "part of the content, which was not asked for", httpStatus: 206))
        }
        if let acceptable = settings.configuration.acceptableContentTypes, !head.mediaType.isEmpty,
            !acceptable.contains(head.mediaType)
        {
            return .fail(ImageError(.contentType, "content type \(head.mediaType) is not acceptable", httpStatus: head.status))
        }
        return .take
    }
}
