/// Looks up images in memory, for loads, targets and `find`: a load is one hit or one miss of the cache.
/// Runs on the thread of the caller, and queries no disk.
struct MemoryStage {
    /// An image in memory. `rule`: the rule under which it is the result; nil if it must be revalidated first.
    struct Hit {
        let image: Image
        let rule: FreshnessRule?
    }

    let manager: ImageManager
    let request: ImageRequest
    let keys: LoadKeys

    private var policy: FreshnessPolicy { request.freshness ?? manager.freshness }

    /// nil if the request must not use memory. Uses the part that the manager has resolved.
    private var cache: (any MemoryCaching)? {
        guard request.sourcePolicy != .loaderOnly, request.cachePolicy.queryLayers.contains(.memory) else { return nil }
        return switch request.cache {
        case .inherited: manager.memory
        case .none: nil
        case .value(let cache): cache.memoryPart
        }
    }

    /// The image of the request. `hasMissed`: the cache is known not to have it under its own key.
    /// An image that fails a condition of the request, such as being animated, counts as missing.
    func lookUp(hasMissed: Bool = false) -> Hit? {
        guard let image = (hasMissed ? nil : lookUpFinal()) ?? cache.flatMap({ keys.related(request, in: $0) }), satisfies(image)
        else { return nil }
        return Hit(image: image, rule: rule(image))
    }

    /// The image under its own key, for requests without further conditions.
    /// Counts as a hit or a miss.
    func lookUpFinal() -> Image? { cache?.image(for: keys.final) }

    /// The image, without counting as a use.
    func peek() -> Image? { cache?.peek(keys.final) }

    /// The image, if another load has stored it since `lookUp` and it is the complete result. Does not count.
    /// Called when a load is about to start a transfer.
    func storedMeanwhile() -> Image? {
        guard policy == .ignore, !request.includesData, let image = peek(), satisfies(image) else { return nil }
        return image
    }

    /// The largest image in memory that differs from the requested one in its size alone.
    /// Queries the full size first, then the thumbnails that `KnownSizes` has recorded.
    func related() -> Image? {
        guard let cache else { return nil }
        let whole = keys.whole(request)
        if let image = cache.image(for: whole) { return image }
        let images = manager.sizes.thumbnails(of: whole).compactMap { cache.image(for: $0) }
        return images.max { $0.area < $1.area }
    }

    private func satisfies(_ image: Image) -> Bool { !request.requiresAnimation || image.frames != nil }

    /// The rule under which an image in memory is the result; nil if it must be revalidated first.
    /// Under `respect`, a usable image is the result, and its revalidation starts in the background.
    private func rule(_ image: Image) -> FreshnessRule? {
        if policy == .ignore { return FreshnessRule.none }
        // Without a record nothing is known about its freshness.
        guard let record = image.metadata.response?.record else { return nil }
        let origin = try? request.loader.resolved(manager.loader)?.chosen(for: request)
        // The hook may set the fields that select the response. It may wait, so the load calls it.
        if !record.vary.isEmpty, origin?.prepares(request) == true { return nil }
        let freshness = Freshness(
            of: record, fields: origin?.sentFields(request) ?? request.headers, now: MonotonicClock.wall)
        // A refresh revalidates everything but responses that never change.
        if policy == .refresh { return freshness.isImmutable ? .immutable : nil }
        if freshness.verdict == .mustAsk { return nil }
        if freshness.verdict == .usable {
            // Without an origin the revalidation is impossible, so the load decides about the stale image.
            guard request.sourcePolicy != .cacheOnly, origin != nil else { return nil }
            manager.revalidate(request, keys, image)
        }
        return freshness.rule
    }
}

extension Image {
    /// Pixels; an overflow wraps, which matters only for the order.
    fileprivate var area: Int { size.width.multipliedReportingOverflow(by: size.height).partialValue }
}
