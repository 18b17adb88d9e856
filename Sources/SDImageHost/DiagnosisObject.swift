import SDImage

/// The versions, formats, limits and state of the library at one moment: `sdimage_diagnosis`. Everything is read when it is made,
/// and `Report.diagnosis` writes it as JSON.
package final class DiagnosisObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    /// A name and what belongs to it.
    package typealias Entry = (name: CString, value: CString)

    /// The parts that the composition of the library decides.
    package struct Composition {
        let coders: [any ImageCoder]
        let encodableFormats: [ImageFormat]
        /// Names and versions.
        let libraries, plugins: [(String, String)]
        let limits: [(String, Int)]
        let decoderPath: String?
        /// The names and values of the counts of worker processes.
        let workers: [(name: String, value: Int)]

        package init(
            coders: [any ImageCoder], encodableFormats: [ImageFormat], libraries: [(String, String)],
            plugins: [(String, String)], limits: [(String, Int)], decoderPath: String?,
            workers: [(name: String, value: Int)]
        ) {
            self.coders = coders
            self.encodableFormats = encodableFormats
            self.libraries = libraries
            self.plugins = plugins
            self.limits = limits
            self.decoderPath = decoderPath
            self.workers = workers
        }
    }

    package let decodable, encodable: Set<ImageFormat>
    package let libraries, plugins: [Entry]
    package let limits: [(name: CString, value: Int)]
    package let disabled: [CString]
    package let isolation = Isolation.standard
    /// The program of the worker processes; nil if none is installed.
    package let decoderPath: CString?
    package let workers: [(name: String, value: Int)]
    package let cachePath, cachePathSource, cachePathProblem: CString?
    package let processorCount = LibraryThread.availableProcessors
    package let simdLevel = CString(KernelLevel.name)
    /// Bytes of pixels in use, and of free blocks that the pool keeps.
    package let livePixelBytes, retainedPixelBytes: Int
    package let threadCount = LibraryThread.count
    /// True if the engine has been started and not shut down.
    package let isRunning = Engine.current != nil
    package let isForked = Engine.isForked

    package init(_ composition: Composition) {
        decodable = Set(composition.coders.flatMap(\.decodableFormats))
        encodable = Set(composition.encodableFormats)
        libraries = composition.libraries.map { (CString($0), CString($1)) }
        plugins = composition.plugins.map { (CString($0), CString($1)) }
        limits = (DiagnosisObject.decodeLimits + composition.limits).map { (CString($0), $1) }
        disabled = DisabledParsers.ofProcess.names.map { CString($0) }
        decoderPath = composition.decoderPath.map { CString($0) }
        workers = composition.workers
        // The folder that caches without one of their own would use, and why.
        let directory = DefaultDirectory()
        cachePath = directory.path.map { CString($0) }
        cachePathSource = directory.source.map { CString($0) }
        cachePathProblem = directory.problem.map { CString($0) }
        let pool = PixelPool.shared.statistics
        livePixelBytes = pool.live
        retainedPixelBytes = pool.retained
    }

    /// The standard limits by their names in the report.
    private static var decodeLimits: [(String, Int)] {
        let limits = DecodeLimits.standard
        return [
            ("streamed_pixels", limits.streamedPixels), ("held_pixels", limits.heldPixels),
            ("output_bytes", limits.outputBytes), ("working_bytes", limits.workingBytes), ("frames", limits.frames),
            ("metadata_bytes", limits.metadataBytes), ("work_ms", Int(clamping: limits.workNanoseconds / 1_000_000)),
        ]
    }
}
