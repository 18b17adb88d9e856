/// Decides when growing input is parsed from its start again: on every call while it is short, then each time it has grown by
/// a thirty-second. All attempts together cost a small multiple of the last one.
/// Used by decoders of formats that cannot continue a parse.
package struct GrowthGate {
    /// Up to this number of bytes, every call opens the gate.
    private static let shortBytes = 4096
    /// Inverse of the growth between two attempts.
    private static let growth = 32

    /// Number of bytes at the latest attempt.
    private var last = 0

    package init() {}

    /// Returns true if another attempt is due at `count` bytes.
    package mutating func opens(at count: Int) -> Bool {
        guard count <= GrowthGate.shortBytes || count - last >= last / GrowthGate.growth else { return false }
        last = count
        return true
    }
}
