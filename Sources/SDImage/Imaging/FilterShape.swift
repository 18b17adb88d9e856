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
            return lanczos(d, sine: sin(d * Double.pi / 3))
        case .area: return 1
        case .cubic: return d < 1 ? (1.5 * d - 2.5) * d * d + 1 : ((2.5 - 0.5 * d) * d - 4) * d + 2
        case .linear: return 1 - d
        }
    }

    /// `sine`: of a third of the angle that the distance stands for.
    fileprivate func lanczos(_ distance: Double, sine: Double) -> Double {
        guard abs(distance) > 1e-9 else { return 1 }
        // sin(3a) = 3 sin a - 4 sin^3 a: one sine for both factors of the kernel.
        let angle = distance * Double.pi
        return 3 * (3 - 4 * sine * sine) * sine * sine / (angle * angle)
    }
}

/// The weights of samples side by side. Of Lanczos' sines only the first is computed, the others by turning on.
struct FilterSteps {
    private let shape: FilterShape
    private let step: Double
    private let turn: (sine: Double, cosine: Double)
    private var distance = 0.0
    private var sine = 0.0
    private var cosine = 1.0

    /// `step`: the distance from sample to sample.
    init(_ shape: FilterShape, step: Double) {
        self.shape = shape
        self.step = step
        turn = (sin(step * Double.pi / 3), cos(step * Double.pi / 3))
    }

    mutating func begin(at distance: Double) {
        self.distance = distance
        sine = sin(distance * Double.pi / 3)
        cosine = cos(distance * Double.pi / 3)
    }

    /// The weight of the next sample.
    mutating func next() -> Double {
        let at = distance
        distance += step
        guard case .lanczos = shape else { return shape.weight(at) }
        let weight = abs(at) < shape.radius ? shape.lanczos(at, sine: sine) : 0
        (sine, cosine) = (sine * turn.cosine + cosine * turn.sine, cosine * turn.cosine - sine * turn.sine)
        return weight
    }
}
