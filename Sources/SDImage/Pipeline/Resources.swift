/// The images below one folder, by name: each is decoded once, and retained until it is cleared.
///
/// Files are read and decoded on the calling thread, outside the lock.
/// Made for the images that a program installs with itself. Safe from any thread; callers may block for the file.
package final class Resources: Sendable {
    /// The look-up of a name by one thread, shared by all threads that request it meanwhile. Guarded by the monitor.
    private final class Search {
        var outcome: Result<Image, ImageError>?
    }

    /// Guarded by the monitor.
    private struct State {
        /// Pixels per point, the preferred one first.
        var scales: [Double] = [1, 2, 3]
        /// Decoded images by the name of the file, without scale.
        var images: [[UInt8]: Image] = [:]
        /// Look-ups under way, by the same name.
        var searches: [[UInt8]: Search] = [:]

        /// The next action for a name; registers a search if there is none.
        mutating func step(_ file: [UInt8]) -> Step {
            if let image = images[file] { return .found(image) }
            if let search = searches[file] { return .wait(search) }
            let search = Search()
            searches[file] = search
            return .search(search, scales)
        }

        /// Releases all images; threads that wait continue to wait for the old search.
        mutating func takeAll() -> [[UInt8]: Image] {
            searches = [:]
            defer { images = [:] }
            return images
        }
    }

    private enum Step {
        case found(Image)
        case wait(Search)
        case search(Search, [Double])
    }

    /// The path without a final slash, in the file system's own bytes.
    private let folder: [UInt8]
    private let options: DecodeOptions
    private let registry: CoderRegistry
    private let state = Monitor(State())

    /// `folder` is a path in the file system's own bytes, and must exist.
    package init(folder: [UInt8], options: DecodeOptions, registry: CoderRegistry) throws(ImageError) {
        self.folder = try FileLoader.folder(folder)
        self.options = options
        self.registry = registry
    }

    /// The pixels per point, the preferred first.
    package var scales: [Double] { state.withLock { $0.scales } }

    /// Sets the pixels per point, the preferred first. A change discards the images.
    package func setScales(_ scales: [Double]) throws(ImageError) {
        guard scales.count <= 16 else {
            throw ImageError(.invalidArgument, "resources: \(scales.count) scales exceed the limit of 16")
        }
        guard scales.allSatisfy({ $0 >= 1 && $0 <= 100 }) else {
            throw ImageError(.invalidArgument, "resources: scale is not between 1 and 100")
        }
        let old = state.withLock { state -> [[UInt8]: Image] in
            guard state.scales != scales else { return [:] }
            state.scales = scales
            return state.takeAll()
        }
        withExtendedLifetime(old) {}
    }

    /// Blocks for the file and its decode, or for another thread that decodes the same image.
    /// Throws `notFound` if no file has the name, and the error of the decoder for a damaged one.
    package func image(named name: [UInt8]) throws(ImageError) -> Image {
        let name = try ResourceName(name)
        switch state.withLock({ $0.step(name.file) }) {
        case .found(let image): return image
        case .wait(let search):
            // Without a deadline the outcome is never nil.
            guard let outcome = state.wait({ _, _ in search.outcome }) else { throw .cancelled }
            return try outcome.get()
        case .search(let search, let scales):
            let outcome = find(name, scales)
            finish(search, name.file, outcome)
            return try outcome.get()
        }
    }

    /// Discards all images.
    package func clear() {
        let old = state.withLock { $0.takeAll() }
        withExtendedLifetime(old) {}
    }

    /// Publishes an outcome to the waiting threads, and keeps an image. Failures are not kept: the file may appear
    /// later.
    private func finish(_ search: Search, _ file: [UInt8], _ outcome: Result<Image, ImageError>) {
        state.withLock { state in
            search.outcome = outcome
            // Discarded meanwhile: then the outcome is for the waiting threads alone.
            guard state.searches[file] === search else { return }
            state.searches[file] = nil
            if case .success(let image) = outcome { state.images[file] = image }
        }
        state.broadcast()
    }

    /// The first existing file wins, even if it is damaged: the next scale would hide the defect.
    private func find(_ name: ResourceName, _ scales: [Double]) -> Result<Image, ImageError> {
        let files = name.files(scales)
        for file in files {
            do throws(ImageError) {
                if let image = try decode(file) { return .success(image) }
            } catch { return .failure(error.naming(Resources.printable(file))) }
        }
        let list = files.map(Resources.printable).joined(separator: ", ")
        return .failure(ImageError(.notFound, "resources: no \(list) in \(Resources.printable(folder))"))
    }

    /// The decoded image; nil if there is no such file.
    private func decode(_ file: [UInt8]) throws(ImageError) -> Image? {
        let bytes: Bytes
        do throws(ImageError) {
            bytes = try FileLoader.read(folder + [Byte.slash] + file, limit: DecodeLimits.standard.workingBytes)
        } catch {
            guard error.status == .notFound else { throw error }
            return nil
        }
        var options = options
        options.scale = FileScale.of(String(decoding: file, as: UTF8.self))
        return try registry.decode(bytes, options: options, stop: CancellationToken())
    }

    /// The name for messages, which have one line.
    private static func printable(_ file: [UInt8]) -> String {
        String(decoding: file.map { $0 < Byte.space || $0 == 127 ? Byte.question : $0 }, as: UTF8.self)
    }
}

extension ImageError {
    /// The same error with the name of one of several files.
    fileprivate func naming(_ file: String) -> ImageError {
        ImageError(
            status, "\(file): \(message.string)", httpStatus: httpStatus, systemError: systemError, libraryCode: libraryCode,
            url: url, cause: cause, transactions: transactions)
    }
}
