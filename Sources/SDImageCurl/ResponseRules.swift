import CCurl
import SDImage

/// Decides how a load continues after a response: accept it, follow a redirect, restart, or fail.
enum ResponseRules {
    enum Verdict {
        case take
        case redirect([UInt8])
        /// The partial response does not continue the received bytes, or the range is not satisfiable (416).
        case restart
        case fail(ImageError)
    }

    private static let conditions = ["if-none-match", "if-modified-since"]

    /// Parses one line of the head and, at its end, decides how the body is treated. False ends the transfer.
    static func takeHead(_ line: UnsafeRawBufferPointer, of transfer: Transfer) -> Bool {
        transfer.noteActivity()
        // On a reused connection the kernel delays acknowledgements by up to 40 ms, to send them together with data. Where
        // segments are large, the server waits for the acknowledgement before it sends the rest of the body.
        if transfer.hop.isHeadAwaited, let descriptor = transfer.hop.descriptor { ccurl_acknowledge_promptly(descriptor) }
        transfer.noteHead(line.count)
        guard transfer.headBytes <= ResponseHead.longest else {
            transfer.hop.failure = .tooLarge("http: response header of \(transfer.headBytes) bytes", limit: ResponseHead.longest)
            return false
        }
        // An interim response (1xx) has no body and precedes another response.
        if unsafe transfer.hop.head.take(line), transfer.hop.head.status >= 200 {
            transfer.hop.respondedAt = MonotonicClock.wall
            switch verdict(transfer) {
            case .take: transfer.beginBody()
            // Keeps the body, because the response hook may still make the response acceptable.
            case .fail where transfer.download.hooks?.response != nil: transfer.beginBody()
            case .fail, .redirect, .restart: transfer.hop.disposition = .discard
            }
            if transfer.hop.disposition == .keep {
                do throws(ImageError) { try transfer.beginDecoding() } catch {
                    transfer.hop.failure = error
                    return false
                }
            }
            if !RedirectRules.isRedirect(transfer.hop.head.status) {
                transfer.reportResponse()
                transfer.report(.responded)
            }
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
    static func verdict(_ transfer: Transfer) -> Verdict {
        let head = transfer.hop.head, settings = transfer.settings
        if RedirectRules.isRedirect(head.status), let location = head.location { return .redirect(location) }
        if head.status == 304, transfer.download.sends(conditions) { return .take }
        if let resuming = transfer.hop.resuming {
            if head.status == 206 { return resuming.total(continuedBy: head) == nil ? .restart : .take }
            if head.status == 416 { return .restart }
        }
        if let acceptable = settings.configuration.acceptableStatuses, !acceptable.contains(where: { $0.contains(head.status) }) {
            if head.status == 401, transfer.sendsCredential {
                return .fail(ImageError(.authenticationFailed, "http: user, password or token refused", httpStatus: 401))
            }
            return .fail(ImageError(.httpStatus, "http: response has status \(head.status)", httpStatus: head.status))
        }
        if head.status == 206, !transfer.download.sends(["range"]) {
            return .fail(ImageError(.invalidResponse, "http: partial content without a range request", httpStatus: 206))
        }
        if let acceptable = settings.configuration.acceptableContentTypes, !head.mediaType.isEmpty,
            !acceptable.contains(head.mediaType)
        {
            return .fail(
                ImageError(.contentType, "http: content type \(head.mediaType) is not acceptable", httpStatus: head.status))
        }
        return .take
    }
}
