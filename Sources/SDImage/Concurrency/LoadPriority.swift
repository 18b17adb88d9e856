/// Priority of queued loads.
/// Raw values are those of the C interface.
package enum LoadPriority: Int32, Sendable, Comparable {
    /// Work that no caller waits for, such as prefetching.
    case low = -1
    case normal = 0
    /// Images that are visible now.
    case high = 1

    package static func < (a: LoadPriority, b: LoadPriority) -> Bool { a.rawValue < b.rawValue }
}
