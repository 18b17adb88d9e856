/// First-in first-out queue on one array; popping takes amortised constant time.
package struct FIFO<Element> {
    private var items: [Element?] = []
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
        if head == items.count {
            items.removeAll(keepingCapacity: head < 1024)
            head = 0
        } else if head >= 1024, head * 2 > items.count {
            items.removeFirst(head)
            head = 0
        }
        return item
    }

    /// Empties the queue and returns its elements in order.
    package mutating func drain() -> [Element] {
        defer {
            items = []
            head = 0
        }
        return items[head...].compactMap { $0 }
    }
}
