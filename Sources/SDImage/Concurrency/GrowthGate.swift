/// Decides when growing input is parsed from its start again: on every call while it is short, then each time it has grown by
/// a thirty-second. All attempts together cost a small multiple of the last one.
package struct GrowthGate {
    private static let shortBytes = 4096
    private static let growth = 32

    private var last = 0

    package init() {}

    /// Returns true if another attempt is due at `count` bytes.
    package mutating func opens(at count: Int) -> Bool {
        guard count <= GrowthGate.shortBytes || count - last >= last / GrowthGate.growth else { return false }
        last = count
        return true
    }
}
