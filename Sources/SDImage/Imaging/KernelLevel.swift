import SDImagePixels

/// The instructions that pixel kernels use, by the name that SDIMAGE_CPU accepts.
/// Reported by diagnostics.
package enum KernelLevel {
    package static var name: String { unsafe String(cString: sdpx_cpu_name(sdpx_cpu_current())) }
}
