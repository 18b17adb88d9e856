import SDImage
import TestSupport

/// A manager whose transfers start in the order of their loads, however long the look-ups take on a busy machine.
func makePatientManager(cache: Owned?, loader: Owned) throws -> Owned {
    try CallTimeLimits.$lookUp.withValue(600_000_000_000) { try makeManager(cache: cache, loader: loader) }
}
