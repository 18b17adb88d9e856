/// First-in first-out queue on one array; popping takes amortized constant time.
/// Used under the locks of its owners; not synchronized itself.
package struct FIFO<Element> {
    /// Popped elements are nil until the array is compacted.
    private var items: [Element?] = []
    /// Index of the first element that is still queued.
    private var head = 0

    package init() {}

    package var count: Int { items.count - head }
    package var isEmpty: Bool { count == 0 }

    /// The element that `popFirst` would return.
    package var first: Element? { head < items.count ? items[head] : nil }

    /// Replaces the element at a distance from the first one.
    package mutating func replace(at index: Int, with item: Element) { items[head + index] = item }

    package mutating func append(_ item: Element) { items.append(item) }

    package mutating func popFirst() -> Element? {
        guard head < items.count else { return nil }
        let item = items[head]
        items[head] = nil
        head += 1
        // An empty queue costs nothing to compact; a large array then returns its memory.
        if head == items.count {
            items.removeAll(keepingCapacity: head < 1024)
            head = 0
        } else if head >= 1024, head * 2 > items.count {
            items.removeFirst(head)
            head = 0
        }
        return item
    }

    /// Replaces the first element that matches and returns it; nil if none does.
    package mutating func replaceFirst(with item: Element, where matches: (Element) -> Bool) -> Element? {
        guard let index = items.indices.first(where: { items[$0].map(matches) ?? false }) else { return nil }
        defer { items[index] = item }
        return items[index]
    }

    /// Removes the elements that match and returns them in order.
    /// `matches` is called twice for each element, so it must be pure.
    package mutating func removeAll(where matches: (Element) -> Bool) -> [Element] {
        guard !isEmpty else { return [] }
        let all = drain()
        for item in all where !matches(item) { append(item) }
        return all.filter(matches)
    }

    /// The last element.
    package var last: Element? { isEmpty ? nil : items[items.count - 1] }

    /// Empties the queue and returns its elements in order.
    package mutating func drain() -> [Element] {
        defer {
            items = []
            head = 0
        }
        return items[head...].compactMap { $0 }
    }
}
