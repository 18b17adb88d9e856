/// Priority of queued loads.
package enum LoadPriority: Int32, Sendable, Comparable {
    case low = -1
    case normal = 0
    case high = 1

    package static func < (a: LoadPriority, b: LoadPriority) -> Bool { a.rawValue < b.rawValue }
}
