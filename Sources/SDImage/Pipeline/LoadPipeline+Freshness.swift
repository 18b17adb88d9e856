/// The part of a load that checks whether a cached image may still be used (docs/decisions.md, "Freshness is part of the
/// cache").
extension LoadPipeline {
    /// A cached image, in memory or only as bytes, and the record of its response.
    private struct Copy {
        var image: Image?
        var data: CachedData?
        /// The entry that the data was read from.
        var entry: Entry?
        var record: ResponseRecord
        var source: ImageSource
    }

    /// The outcome for a cached image: fresh, revalidated, replaced or stale. Nil without a cached image.
    func queryFresh(_ timings: inout StageTimings) async throws(ImageError) -> LoadOutcome? {
        guard var copy = try await copy(&timings) else { return nil }
        let asked = request.sourcePolicy == .cacheOnly ? nil : loader
        // A missing loader is an error only when the cached image may not be used.
        let origin = try? asked?.chosen(for: request)
        let fields = await sentFields(to: origin, copy.record)
        var freshness = Freshness(of: copy.record, fields: fields, now: MonotonicClock.wall)
        if policy == .respect, freshness.verdict == .mustAsk, try await takeNewer(&copy, &timings) {
            freshness = Freshness(of: copy.record, fields: fields, now: MonotonicClock.wall)
        }
        if let rule = ruleToUse(freshness, hasOrigin: origin != nil) {
            guard let image = try await picture(&copy, &timings) else { return nil }
            if freshness.verdict == .usable, policy == .respect, origin != nil { manager.renew(request, keys, image) }
            var outcome = try await outcome(copy, image, rule, &timings)
            outcome.isStale = origin == nil && freshness.verdict != .fresh
            return outcome
        }
        guard let origin else {
            _ = try asked?.chosen(for: request)
            return LoadOutcome(rule: freshness.rule)
        }
        // Under `respect` nothing is decoded before it is known to be needed.
        if policy == .refresh {
            guard let image = try await picture(&copy, &timings) else { return nil }
            if memoryImage == nil { deliverCached(try await outcome(copy, image, .refresh, &timings)) }
        }
        local?.pass()
        do throws(ImageError) { return try await ask(origin, about: copy, freshness, &timings) } catch {
            if error.status == .cancelled { throw error }
            return try await inPlace(of: error, &copy, freshness, &timings)
        }
    }

    /// The fields that the request sends to the origin. If the response depends on request fields (Vary), the host's request
    /// hook is applied first.
    private func sentFields(to origin: (any ImageLoader)?, _ record: ResponseRecord) async -> [HeaderField] {
        guard let origin else { return request.headers }
        // If the hook refuses the request, revalidation fails for the same reason.
        let sent = record.vary.isEmpty ? request : (try? await origin.prepared(request)) ?? request
        return origin.sentFields(sent)
    }

    /// The rule under which the copy is used without revalidation; nil if it must be revalidated.
    private func ruleToUse(_ freshness: Freshness, hasOrigin: Bool) -> FreshnessRule? {
        switch policy {
        case .refresh: return freshness.isImmutable ? .immutable : hasOrigin ? nil : freshness.rule
        case .respect where freshness.verdict == .fresh: return freshness.rule
        case .respect where freshness.verdict == .usable && !isRenewal: return freshness.rule
        default:
            let nobody = ImageError(.offline, "nobody to ask")
            return !hasOrigin && freshness.rule(inPlaceOf: nobody) != nil ? freshness.rule : nil
        }
    }

    /// Sends a request to the origin, conditional if the copy has validators.
    private func ask(_ origin: any ImageLoader, about copy: Copy, _ freshness: Freshness, _ timings: inout StageTimings)
        async throws(ImageError) -> LoadOutcome
    {
        var copy = copy
        let conditions = copy.record.conditions(selectsSame: freshness.selectsSame)
        var asking = request.asking(conditions)
        // A caller is waiting and a cached image is available: returning it is better than a retry.
        let failure = ImageError(.connectFailed, "origin cannot be reached")
        if policy == .respect, !isRenewal, freshness.rule(inPlaceOf: failure) != nil {
            asking.maxRetries = asking.maxRetries ?? 0
        }
        let known = copy.data?.date ?? copy.record.responseTime
        var loaded = try await fetch(origin, asking, leasing: LeaseRequest(self, origin, newerThan: known), &timings)
        let rule = policy == .refresh ? .refresh : freshness.rule
        if loaded.data.isUnmodified, !conditions.isEmpty {
            loaded.leaveBacklog()
            if let record = copy.record.renewed(by: loaded.data.answer), let image = try await picture(&copy, &timings) {
                forgetFailures()
                return try await confirmed(
                    copy, await keep(record.noted(asking, origin), copy, image, by: loaded), rule, loaded, &timings)
            }
            // The response belongs to another image, or there is no image that it could confirm.
            loaded = try await fetch(origin, request, &timings)
        }
        if let kept = loaded.kept {
            var outcome = try await take(loaded, origin, &timings)
            outcome.rule = Freshness(of: kept.record, fields: origin.sentFields(request), now: MonotonicClock.wall).rule
            return outcome
        }
        if policy == .refresh, let image = copy.image, try await isSame(loaded.data, copy, &timings) {
            loaded.leaveBacklog()
            return try await confirmed(
                copy, await keep(loaded.data.answer, copy, image, by: loaded), rule, loaded, &timings)
        }
        var outcome = try await take(loaded, origin, &timings)
        outcome.isChanged = policy == .refresh
        if outcome.rule == .none { outcome.rule = rule }
        return outcome
    }

    /// The outcome with the cached image and the error, or with the error alone.
    private func inPlace(of error: ImageError, _ copy: inout Copy, _ freshness: Freshness, _ timings: inout StageTimings)
        async throws(ImageError) -> LoadOutcome
    {
        var rule = freshness.rule(inPlaceOf: error)
        // The image that was shown stays, whatever the response says.
        if policy == .refresh { rule = rule ?? .refresh }
        guard let rule, let image = try await picture(&copy, &timings) else {
            return LoadOutcome(error: error, rule: policy == .refresh ? .refresh : freshness.rule)
        }
        Log.write(.info, "cached picture kept: \(error.message.string) (\(error.status)) \(URLText(task.url.string).messageText)")
        var outcome = try await outcome(copy, image, rule, &timings)
        outcome.error = error
        outcome.isStale = true
        return outcome
    }

    // MARK: cached copy

    private func copy(_ timings: inout StageTimings) async throws(ImageError) -> Copy? {
        if let memoryImage, let answer = memoryImage.metadata.answer {
            return Copy(image: memoryImage, record: answer.record, source: .memory)
        }
        for entry in entries {
            guard let copy = try await copy(of: entry, &timings) else { continue }
            guard let memoryImage else { return copy }
            return Copy(image: memoryImage, record: copy.record, source: .memory)
        }
        return memoryImage.map { Copy(image: $0, record: ResponseRecord(), source: .memory) }
    }

    private func copy(of entry: Entry, _ timings: inout StageTimings) async throws(ImageError) -> Copy? {
        guard let data = try await diskData(entry.cache, entry.key, &timings) else { return nil }
        return Copy(data: data, entry: entry, record: data.record, source: data.source)
    }

    /// Uses the entry of the original if its response is newer than that of memory or of the variant: another thumbnail, or
    /// another process, may have revalidated it meanwhile.
    private func takeNewer(_ copy: inout Copy, _ timings: inout StageTimings) async throws(ImageError) -> Bool {
        guard copy.source == .memory || copy.entry?.isMade == true, let entry = entries.last, !entry.isMade,
            let newer = try await self.copy(of: entry, &timings), newer.record.responseTime > copy.record.responseTime
        else { return false }
        if !newer.record.entityTag.isEmpty, newer.record.hasValidators(of: copy.record) {
            copy.record = newer.record
            copy.image = copy.image.map { keepInMemory(newer.record, $0) }
        } else {
            copy = newer
        }
        return true
    }

    /// The image of a copy; nil if its bytes are not an image.
    private func picture(_ copy: inout Copy, _ timings: inout StageTimings) async throws(ImageError) -> Image? {
        if let image = copy.image { return image }
        guard let entry = copy.entry, var data = copy.data else { return nil }
        data.record = copy.record
        copy.image = try await picture(data, of: entry, &timings)
        return copy.image
    }

    private func outcome(_ copy: Copy, _ image: Image, _ rule: FreshnessRule, _ timings: inout StageTimings)
        async throws(ImageError) -> LoadOutcome
    {
        var outcome = LoadOutcome(image: image, source: copy.source, rule: rule)
        if copy.source == .memory {
            if request.wantsData { outcome.data = try await dataOfMemory(&timings) }
        } else if image.isPlain || copy.entry?.isMade == true {
            outcome.data = copy.data?.bytes
        }
        return outcome
    }

    private func confirmed(
        _ copy: Copy, _ image: Image, _ rule: FreshnessRule, _ loaded: FetchResult, _ timings: inout StageTimings
    ) async throws(ImageError) -> LoadOutcome {
        var outcome = try await outcome(copy, image, rule, &timings)
        outcome.transactions = loaded.data.transactions
        return outcome
    }

    private func deliverCached(_ outcome: LoadOutcome) {
        task.deliver(
            ImageResult(
                kind: .cached, image: outcome.image, data: outcome.data, source: outcome.source, freshness: outcome.rule,
                url: task.url, cacheKey: keys.text))
    }

    /// True if a complete response has the same bytes as the cached original.
    private func isSame(_ loaded: LoadedData, _ copy: Copy, _ timings: inout StageTimings) async throws(ImageError) -> Bool {
        guard !loaded.isPicture else { return false }
        if let data = copy.data, copy.entry?.isMade == false { return data.bytes.hasContents(of: loaded.bytes) }
        guard let original = entries.last, !original.isMade, let kept = try await self.copy(of: original, &timings) else {
            return false
        }
        // The variant may come from an older original than that of the entry.
        return kept.record.hasValidators(of: copy.record) && kept.data?.bytes.hasContents(of: loaded.bytes) == true
    }

    // MARK: updated records

    /// Stores the new record with the image, in memory and on disk.
    private func keep(_ record: ResponseRecord, _ copy: Copy, _ image: Image, by loaded: FetchResult) async -> Image {
        // A response under an invalid certificate confirms nothing.
        guard mayFillCaches else { return image }
        let renewed = keepInMemory(record, image)
        guard record.mayBeStored(request.headers) else {
            await forget()
            return renewed
        }
        let known = diskPlaces
        @Sendable func renew() async {
            for place in known { await place.cache.renew(place.key, from: copy.record, to: record) }
            withExtendedLifetime(loaded.lease) {}
        }
        if request.waitForStore { await renew() } else { Task(executorPreference: engine.executor) { await renew() } }
        return renewed
    }

    private func keepInMemory(_ record: ResponseRecord, _ image: Image) -> Image {
        guard !record.isEmpty else { return image }
        let renewed = image.with(record)
        keepInMemory(renewed)
        return renewed
    }
}
