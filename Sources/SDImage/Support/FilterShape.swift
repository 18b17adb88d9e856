import Glibc

/// How the samples around a position weigh, by their distance.
package enum FilterShape: Sendable {
    /// Three lobes.
    case lanczos
    /// What the position covers.
    case area
    /// Catmull and Rom's.
    case cubic
    /// A triangle.
    case linear

    /// How far it reaches, at a scale of 1.
    var radius: Double {
        switch self {
        case .lanczos: 3
        case .area: 0.5
        case .cubic: 2
        case .linear: 1
        }
    }

    /// The weight of a sample so far away, but for a factor; `area` has no such function.
    func weight(_ distance: Double) -> Double {
        let d = abs(distance)
        guard d < radius else { return 0 }
        switch self {
        case .lanczos:
            guard d > 1e-9 else { return 1 }
            // sin(3a) = 3 sin a - 4 sin^3 a: one sine for both factors of the kernel.
            let angle = d * Double.pi
            let inner = sin(angle / 3)
            return 3 * (3 - 4 * inner * inner) * inner * inner / (angle * angle)
        case .area: return 1
        case .cubic: return d < 1 ? (1.5 * d - 2.5) * d * d + 1 : ((2.5 - 0.5 * d) * d - 4) * d + 2
        case .linear: return 1 - d
        }
    }
}
