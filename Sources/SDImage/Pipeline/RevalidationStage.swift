/// Finds out whether a cached image may still be used, and revalidates it (docs/decisions.md, "Freshness is part of the cache").
/// Used by `Load` under the policies `respect` and `refresh`, and by background revalidations, in the task of the
/// load.
/// RFC 9111, section 4.3, describes validation of stored responses.
struct RevalidationStage {
    /// A cached image, in memory or only as bytes, and the record of its response.
    /// `image` is nil until the bytes are decoded, which happens only if the copy is used.
    fileprivate struct CachedCopy: Sendable {
        var image: Image?
        var data: CachedData?
        /// The entry that the data was read from.
        var entry: CacheStage.Entry?
        /// The record of the response, possibly newer than the one in `data`.
        var record: ResponseRecord
        let source: ImageSource
    }

    /// A cached image to revalidate. An object, because few of many waiting loads have one.
    final class Candidate: Sendable {
        fileprivate let copy: CachedCopy
        /// State of the copy at the look-up, before the response.
        fileprivate let freshness: Freshness
        /// The request to send: conditional if the candidate has validators.
        let request: ImageRequest
        /// The fields that make it conditional; empty after a response that belongs to another image.
        fileprivate let conditions: [HeaderField]

        fileprivate init(copy: CachedCopy, freshness: Freshness, request: ImageRequest, conditions: [HeaderField]) {
            self.copy = copy
            self.freshness = freshness
            self.request = request
            self.conditions = conditions
        }

        /// Date of its response.
        var date: UInt64 { copy.data?.date ?? copy.record.responseTime }
    }

    enum Finding {
        /// No cache has the image.
        case missing
        /// The result of the load.
        case found(LoadOutcome)
        /// An image to revalidate. `shown` is delivered before.
        case stale(Candidate, any ImageLoader, shown: LoadOutcome?)
    }

    /// The consequence of a response.
    enum Verdict {
        /// The candidate is still valid.
        case valid(LoadOutcome)
        /// The response has another image.
        case replaced
        /// The response confirms an image that is not the candidate, which must be requested without conditions.
        case mismatched(Candidate)
    }

    let context: LoadContext
    private var caches: CacheStage { CacheStage(context: context) }
    private var policy: FreshnessPolicy { context.policy }

    /// The cached image, if it may be used or revalidated.
    /// Throws `cancelled`, errors of the URL, and errors of the decoder. Does not contact the origin.
    func lookUp() async throws(ImageError) -> Finding {
        if Task.isCancelled { throw .cancelled }
        try context.validate()
        guard context.request.sourcePolicy != .loaderOnly, var copy = try await cachedCopy() else { return .missing }
        let loader = context.request.sourcePolicy == .cacheOnly ? nil : context.loader
        // Its fields select the response, even where it may not be used.
        let sender = try? context.request.loader.resolved(context.manager.loader)?.chosen(for: context.request)
        // A missing loader is an error only when the cached image may not be used.
        let origin = loader == nil ? nil : sender
        let fields = await sentFields(by: sender, copy.record)
        var freshness = Freshness(of: copy.record, fields: fields, now: MonotonicClock.wall)
        // Another load may have stored a newer response, and then no exchange is needed.
        if policy == .respect, freshness.verdict == .mustAsk, try await useNewerOriginal(&copy) {
            freshness = Freshness(of: copy.record, fields: fields, now: MonotonicClock.wall)
        }
        if let rule = ruleToUse(freshness, hasOrigin: origin != nil) {
            return try await use(copy, freshness, rule, hasOrigin: origin != nil)
        }
        // Nothing can be revalidated. The error of the chosen loader is reported, or the load ends without an image.
        guard let origin else {
            _ = try loader?.chosen(for: context.request)
            return .found(LoadOutcome(rule: freshness.rule))
        }
        // Under `respect` nothing is decoded before it is known to be needed.
        // Under `refresh` the cached image is shown first, so it must be decoded now.
        guard policy == .refresh else { return .stale(candidate(copy, freshness), origin, shown: nil) }
        guard let image = try await image(&copy) else { return .missing }
        let shown = context.memoryImage == nil ? try await outcome(copy, image, .refresh) : nil
        return .stale(candidate(copy, freshness), origin, shown: shown)
    }

    /// The cached image as the result. If it is only usable, its revalidation starts in the background.
    private func use(_ copy: CachedCopy, _ freshness: Freshness, _ rule: FreshnessRule, hasOrigin: Bool)
        async throws(ImageError) -> Finding
    {
        var copy = copy
        context.leaveTransferOrder()
        guard let image = try await image(&copy) else { return .missing }
        if freshness.verdict == .usable, policy == .respect, hasOrigin {
            context.manager.revalidate(context.request, context.keys, image)
        }
        var outcome = try await outcome(copy, image, rule)
        outcome.isStale = !hasOrigin && freshness.verdict != .fresh
        return .found(outcome)
    }

    /// The fields that the loader sends for the request. If the response depends on request fields (Vary), the host's request
    /// hook is applied first.
    /// The host's hook runs only for responses with Vary, because it may be slow.
    private func sentFields(by loader: (any ImageLoader)?, _ record: ResponseRecord) async -> [HeaderField] {
        guard let loader else { return context.request.headers }
        // If the hook refuses the request, revalidation fails for the same reason.
        let sent = record.vary.isEmpty ? context.request : (try? await loader.prepared(context.request)) ?? context.request
        return loader.sentFields(sent)
    }

    /// The rule under which the candidate is used without revalidation; nil if it must be revalidated.
    /// `hasOrigin`: false if no loader may be used, which permits stale images that an error would permit.
    private func ruleToUse(_ freshness: Freshness, hasOrigin: Bool) -> FreshnessRule? {
        switch policy {
        // Immutable responses never change while they are fresh (RFC 8246).
        case .refresh: return freshness.isImmutable ? .immutable : hasOrigin ? nil : freshness.rule
        case .respect where freshness.verdict == .fresh: return freshness.rule
        // The background revalidation itself must not be satisfied by the image that it revalidates.
        case .respect where freshness.verdict == .usable && !context.isRevalidation: return freshness.rule
        default:
            let failure = ImageError(.offline, "loader: none for the origin")
            return !hasOrigin && freshness.rule(inPlaceOf: failure) != nil ? freshness.rule : nil
        }
    }

    /// The copy with the request that revalidates it.
    /// Without validators the request has no conditions, and its response replaces the copy.
    private func candidate(_ copy: CachedCopy, _ freshness: Freshness) -> Candidate {
        let conditions = copy.record.conditions(selectsSame: freshness.selectsSame)
        var request = context.request.asking(conditions, of: copy.record.location)
        // A caller is waiting and a cached image is available: returning it is better than a retry.
        let failure = ImageError(.connectFailed, "http: origin unreachable")
        if policy == .respect, !context.isRevalidation, freshness.rule(inPlaceOf: failure) != nil {
            request.maxRetries = request.maxRetries ?? 0
        }
        return Candidate(copy: copy, freshness: freshness, request: request, conditions: conditions)
    }

    // MARK: response

    /// Compares a response with the candidate that it was requested for.
    /// The record of 304 updates the stored one (RFC 9111, section 4.3.4).
    /// Throws errors of the decoder and `cancelled`.
    func verdict(_ loaded: FetchResult, about candidate: Candidate, _ origin: any ImageLoader) async throws(ImageError)
        -> Verdict
    {
        var copy = candidate.copy
        var record = loaded.data.record
        // Status 304 for a request without conditions is not a confirmation; `Load` treats it as an error.
        if loaded.data.isUnmodified, !candidate.conditions.isEmpty {
            loaded.leaveBacklog()
            // The validators of the response belong to another image, or the copy cannot be decoded.
            guard var updated = copy.record.updated(by: record), try await image(&copy) != nil else {
                return .mismatched(
                    Candidate(copy: copy, freshness: candidate.freshness, request: context.request, conditions: []))
            }
            updated.removeRestrictions()
            // As sent: a field of the hook may select the response, or make it private.
            record = updated.noted(context.sent ?? candidate.request, origin, after: loaded.data.redirects)
            context.forgetFailures()
        } else {
            // Under `refresh` an equal body leaves the shown image unchanged, which saves a decode and a redraw.
            guard loaded.sharedEntry == nil, policy == .refresh, copy.image != nil, try await isSame(loaded.data, copy) else {
                return .replaced
            }
            loaded.leaveBacklog()
        }
        guard let image = copy.image else { return .replaced }
        let updated = await StoreStage(context: context).update(record, from: copy.record, image, by: loaded)
        var outcome = try await outcome(copy, updated, rule(candidate))
        outcome.transactions = loaded.data.transactions
        return .valid(outcome)
    }

    /// The rule reported with the image of a response that replaces the candidate.
    /// For a response of another process, the rule of its own freshness; otherwise the rule of the candidate.
    func rule(_ loaded: FetchResult, replacing candidate: Candidate, _ origin: any ImageLoader) -> FreshnessRule {
        guard let entry = loaded.sharedEntry else { return rule(candidate) }
        return Freshness(of: entry.record, fields: context.sentFields(by: origin), now: MonotonicClock.wall).rule
    }

    private func rule(_ candidate: Candidate) -> FreshnessRule { policy == .refresh ? .refresh : candidate.freshness.rule }

    /// The outcome of a failed revalidation: the candidate and the error, or the error alone.
    /// Throws `cancelled` and errors of the decoder for the candidate's bytes.
    func outcome(of error: ImageError, _ candidate: Candidate) async throws(ImageError) -> LoadOutcome {
        var copy = candidate.copy
        var rule = candidate.freshness.rule(inPlaceOf: error)
        // The image that was shown stays, whatever the response says.
        if policy == .refresh { rule = rule ?? .refresh }
        guard let rule, let image = try await image(&copy) else {
            return LoadOutcome(error: error, rule: self.rule(candidate))
        }
        Log.write(.info, "load: stale image used: \(error.message.string) (\(error.status.name)) \(context.urlForLog)")
        var outcome = try await outcome(copy, image, rule)
        outcome.error = error
        outcome.isStale = true
        return outcome
    }

    // MARK: cached copy

    /// The first copy that a cache has: that of memory, of a variant or of the original. nil if none has one.
    /// An image in memory without a record gets that of its entry on disk.
    private func cachedCopy() async throws(ImageError) -> CachedCopy? {
        if let image = context.memoryImage, let response = image.metadata.response {
            return CachedCopy(image: image, record: response.record, source: .memory)
        }
        for entry in caches.entries {
            guard let found = try await cachedCopy(in: entry) else { continue }
            guard let image = context.memoryImage else { return found }
            return CachedCopy(image: image, record: found.record, source: .memory)
        }
        return context.memoryImage.map { CachedCopy(image: $0, record: ResponseRecord(), source: .memory) }
    }

    private func cachedCopy(in entry: CacheStage.Entry) async throws(ImageError) -> CachedCopy? {
        guard let data = try await caches.data(of: entry) else { return nil }
        return CachedCopy(data: data, entry: entry, record: data.record, source: data.source)
    }

    /// Uses the entry of the original if its response is newer than that of memory or of the variant: another thumbnail, or
    /// another process, may have revalidated it meanwhile.
    /// True if the copy was replaced or its record updated.
    private func useNewerOriginal(_ copy: inout CachedCopy) async throws(ImageError) -> Bool {
        guard copy.source == .memory || copy.entry?.isVariant == true, let entry = caches.entries.last,
            !entry.isVariant, let newer = try await cachedCopy(in: entry),
            newer.record.responseTime > copy.record.responseTime
        else { return false }
        // With equal validators the image stays, and gets the newer record.
        if !newer.record.entityTag.isEmpty, newer.record.hasSameValidators(as: copy.record) {
            copy.record = newer.record
            copy.image = copy.image.map { StoreStage(context: context).storeInMemory($0, newer.record) }
        } else {
            copy = newer
        }
        return true
    }

    /// The image of a copy; nil if its bytes are not an image.
    private func image(_ copy: inout CachedCopy) async throws(ImageError) -> Image? {
        if let image = copy.image { return image }
        guard let entry = copy.entry, var data = copy.data else { return nil }
        data.record = copy.record
        copy.image = try await caches.image(of: data, in: entry)
        return copy.image
    }

    /// The outcome with the bytes of the image, if they are at hand or the request includes them.
    private func outcome(_ copy: CachedCopy, _ image: Image, _ rule: FreshnessRule) async throws(ImageError) -> LoadOutcome {
        var outcome = LoadOutcome(image: image, source: copy.source, rule: rule)
        if copy.source == .memory {
            if context.request.includesData { outcome.data = try await caches.dataOfMemoryImage() }
        } else if image.isPlain || copy.entry?.isVariant == true {
            outcome.data = copy.data?.bytes
        }
        return outcome
    }

    /// True if a complete response has the same bytes as the cached original.
    /// False for pixels of a loader, which have no bytes to compare.
    private func isSame(_ loaded: LoadedData, _ copy: CachedCopy) async throws(ImageError) -> Bool {
        guard !loaded.isImage else { return false }
        if let data = copy.data, copy.entry?.isVariant == false { return data.bytes.hasContents(of: loaded.bytes) }
        guard let entry = caches.entries.last, !entry.isVariant, let original = try await cachedCopy(in: entry) else {
            return false
        }
        // The variant may come from an older original than that of the entry.
        return original.record.isSameResponse(as: copy.record)
            && original.data?.bytes.hasContents(of: loaded.bytes) == true
    }
}
