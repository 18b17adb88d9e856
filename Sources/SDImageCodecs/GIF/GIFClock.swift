/// Turns durations into hundredths of a second so that frames keep to the times at which they should show: what rounding
/// adds or takes is made good by the frames behind.
struct GIFClock {
    private var elapsed = 0
    private var told = 0

    /// Players show what is shorter ten times as long.
    private static let shortest = 2

    mutating func centiseconds(of milliseconds: Int) -> Int {
        elapsed += min(max(0, milliseconds), Int(Int32.max))
        let delay = min(max((elapsed + 5) / 10 - told, GIFClock.shortest), Int(UInt16.max))
        told += delay
        return delay
    }
}
