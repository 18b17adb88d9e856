import Glibc

/// A resampling kernel: weights by distance from the output position.
/// Evaluated by `FilterAxis`. All kernels are symmetric.
package enum FilterShape: Sendable {
    /// Lanczos with three lobes.
    case lanczos
    /// Mean over the area of the output pixel.
    case area
    /// Catmull-Rom spline.
    case cubic
    /// Triangle.
    case linear

    /// Radius at a scale of 1.
    var radius: Double {
        switch self {
        case .lanczos: 3
        case .area: 0.5
        case .cubic: 2
        case .linear: 1
        }
    }

    /// The weight at a distance, up to a constant factor. Not meaningful for `area`, whose weights depend on the overlap.
    func weight(_ distance: Double) -> Double {
        let d = abs(distance)
        guard d < radius else { return 0 }
        switch self {
        case .lanczos:
            return lanczos(d, sine: sin(d * Double.pi / 3))
        case .area: return 1
        // The cubic convolution kernel with parameter -0.5 (Keys, 1981).
        case .cubic: return d < 1 ? (1.5 * d - 2.5) * d * d + 1 : ((2.5 - 0.5 * d) * d - 4) * d + 2
        case .linear: return 1 - d
        }
    }

    /// The Lanczos kernel. `sine`: sin(π · distance / 3).
    fileprivate func lanczos(_ distance: Double, sine: Double) -> Double {
        guard abs(distance) > 1e-9 else { return 1 }
        // sin(3a) = 3 sin a - 4 sin^3 a: one sine gives both factors of the kernel.
        let angle = distance * Double.pi
        return 3 * (3 - 4 * sine * sine) * sine * sine / (angle * angle)
    }
}

/// The weights of consecutive samples. For Lanczos, only the first sine is computed; rotations by a fixed angle give the
/// others.
struct FilterSteps {
    private let shape: FilterShape
    /// Distance between two samples in units of the kernel.
    private let step: Double
    /// Sine and cosine of the angle between two samples.
    private let turn: (sine: Double, cosine: Double)
    /// Distance of the next sample from the center.
    private var distance = 0.0
    /// Sine and cosine of its angle.
    private var sine = 0.0
    private var cosine = 1.0

    /// Creates an iterator. `step`: the distance between samples.
    init(_ shape: FilterShape, step: Double) {
        self.shape = shape
        self.step = step
        turn = (sin(step * Double.pi / 3), cos(step * Double.pi / 3))
    }

    /// Starts a new series of samples.
    mutating func begin(at distance: Double) {
        self.distance = distance
        sine = sin(distance * Double.pi / 3)
        cosine = cos(distance * Double.pi / 3)
    }

    /// Returns the weight of the next sample.
    mutating func next() -> Double {
        let at = distance
        distance += step
        guard case .lanczos = shape else { return shape.weight(at) }
        let weight = abs(at) < shape.radius ? shape.lanczos(at, sine: sine) : 0
        (sine, cosine) = (sine * turn.cosine + cosine * turn.sine, cosine * turn.cosine - sine * turn.sine)
        return weight
    }
}
