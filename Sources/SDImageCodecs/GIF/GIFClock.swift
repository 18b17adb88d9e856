/// Converts durations to hundredths of a second. Rounding errors carry over to the following frames, so that frames keep their
/// start times.
struct GIFClock {
    private var elapsed = 0
    private var told = 0

    /// Minimum duration: players display shorter frames ten times as long.
    private static let shortest = 2

    mutating func centiseconds(of milliseconds: Int) -> Int {
        elapsed += min(max(0, milliseconds), Int(Int32.max))
        let delay = min(max((elapsed + 5) / 10 - told, GIFClock.shortest), Int(UInt16.max))
        told += delay
        return delay
    }
}
