import Synchronization

/// The subscription of one load to the progressive decode of its body. Delivers partial images, and ends the transfer when an
/// early thumbnail needs no further bytes.
/// Made by `Load.beginWait`. Holds the load, which holds it until the wait ends.
final class ProgressiveSubscription: ProgressiveDecode.Subscriber {
    private struct State {
        /// The decode that was joined; nil before the body arrives and after `leave`.
        var joined: (key: ProgressiveDecodes.Key, decode: ProgressiveDecode)?
        var hasEnded = false
    }

    /// Released when the load ends or continues, with `end`.
    private let load: Load
    private let state = Monitor(State())

    init(_ load: Load) { self.load = load }

    private var context: LoadContext { load.context }
    private var decodes: ProgressiveDecodes { context.manager.progressiveDecodes }

    /// Subscribes to the decode of `body` in place of an earlier one.
    func subscribe(to body: GrowingBody) {
        leave()
        guard !state.withLock({ $0.hasEnded }) else { return }
        let options = options
        let key = ProgressiveDecodes.Key(
            body: ObjectIdentifier(body), decode: DecodeKey(context.request, context.keys, .body(ObjectIdentifier(body))),
            interval: options.interval)
        let (decode, best) = decodes.join(key, self) { ProgressiveDecode(body, options, context.registry, context.engine) }
        let isLate = state.withLock { state -> Bool in
            if !state.hasEnded { state.joined = (key, decode) }
            return state.hasEnded
        }
        // The load ended while this call joined.
        if isLate { return decodes.leave(key, decode, self) }
        if let best { didDecode(best, of: body.source) }
        // Bytes may have arrived before the subscription.
        decode.bodyGrew()
    }

    /// Ends the deliveries. Returns the decode so far, which shortens that of the complete body.
    func end() -> ProgressiveDecode? {
        let decode = state.withLock { state in
            state.hasEnded = true
            return state.joined?.decode
        }
        leave()
        return decode
    }

    /// Leaves the decode, if one was joined. Has an effect once.
    private func leave() {
        let joined = state.withLock { state in
            defer { state.joined = nil }
            return state.joined
        }
        if let joined { decodes.leave(joined.key, joined.decode, self) }
    }

    /// `interval` is nil for a request that wants only the early thumbnail.
    private var options: ProgressiveDecode.Options {
        let (request, keys) = (context.request, context.keys)
        return ProgressiveDecode.Options(
            decodeOptions: request.decodeOptions, coder: request.coder,
            interval: request.isProgressive ? .saturatingNanoseconds(milliseconds: request.progressiveIntervalMilliseconds) : nil
        ) { image, stop throws(ImageError) in
            try keys.transformed(image, request, stop)
        }
    }

    // MARK: ProgressiveDecode.Subscriber

    var priority: LoadPriority { context.priority }

    func didDecode(_ image: Image, of source: ImageSource) {
        if !state.withLock({ $0.hasEnded }) { load.show(image, of: source) }
    }

    func didDecodeEnough(_ image: Image, of source: ImageSource) {
        if !state.withLock({ $0.hasEnded }) { load.finishEarly(image, of: source) }
    }
}

extension LoadContext {
    /// True if partial images of the body are of use. `revalidating`: the response may confirm a cached image.
    func readsGrowingBody(revalidating: Bool) -> Bool {
        guard revalidating else { return request.isProgressive || request.endsEarly }
        // A refresh shows the cached image meanwhile. An early thumbnail has no record, and would get that of the image that it
        // replaces.
        return policy == .respect && !isRevalidation && request.isProgressive && !request.endsEarly
    }
}

extension ImageRequest {
    /// True if the transfer ends as soon as a thumbnail of full quality is decoded.
    var endsEarly: Bool { self.decodeOptions.earlyThumbnail && self.decodeOptions.thumbnailSize != nil }
}
