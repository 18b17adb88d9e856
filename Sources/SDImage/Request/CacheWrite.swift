/// Names one write of one instance, and is never used twice: file names are made of it.
package struct CacheWrite: Hashable, Sendable {
    package var instance: UInt64
    package var number: UInt64

    package init(instance: UInt64, number: UInt64) {
        self.instance = instance
        self.number = number
    }
}
