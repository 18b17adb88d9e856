/// Identifies one write of one instance. Never reused; file names contain it.
package struct CacheWrite: Hashable, Sendable {
    package var instance: UInt64
    package var number: UInt64

    package init(instance: UInt64, number: UInt64) {
        self.instance = instance
        self.number = number
    }
}
