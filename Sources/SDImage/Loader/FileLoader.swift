import Glibc

/// Loads `file:` URLs of regular files.
///
/// Reads with `pread` and never maps: another process may truncate the file at any time.
/// Runs its reads on the workers that may block. Images are stored in memory, but not on disk.
package final class FileLoader: ImageLoader {
    package let name = "file"
    package let number = UniqueNumber.next()
    private let pool: WorkPool
    /// Keeps the pool's threads running.
    private let lease: EngineLease?
    /// Largest file in bytes, unless the request sets a limit.
    private let maxBodyBytes: Int
    /// Bytes read between two checks for cancellation.
    private static let piece = 256 << 10

    /// `pool` runs the reads, which may block: files can be on a network.
    package init(pool: WorkPool, maxBodyBytes: Int = 64 << 20, lease: EngineLease? = nil) {
        self.lease = lease
        self.pool = pool
        self.maxBodyBytes = maxBodyBytes
    }

    package var isQuick: Bool { true }

    package func canLoad(_ request: ImageRequest) -> Bool { request.urlText.hasScheme("file") }

    /// Equal paths share a read; the fragment names no part of the file here.
    package func sharingKey(_ request: ImageRequest) -> SharingKey? {
        SharingKey(url: Array(request.urlText.withoutFragment), details: Array("file \(request.maxBodyBytes)".utf8))
    }

    /// Reads on a thread of `pool`. A cancellation takes effect between two pieces.
    package func load(_ request: ImageRequest, progress: LoadProgress) async throws(ImageError) -> LoadedData {
        let url = request.urlText
        let limit = request.maxBodyBytes > 0 ? request.maxBodyBytes : maxBodyBytes
        let pool = pool, priority = request.priority
        let outcome = await withCancellationToken { stop async -> Result<Bytes, ImageError> in
            do throws(ImageError) {
                return .success(
                    try await pool.run(priority) { () throws(ImageError) in
                        try FileLoader.read(try FileLoader.path(of: url), limit: limit, stop: stop, progress: progress)
                    })
            } catch { return .failure(error.about(url: url.redacted)) }
        }
        var data = LoadedData(bytes: try outcome.get())
        data.finalURL = request.url
        data.isWorthKeeping = false
        return data
    }

    /// The file that a URL names on this host (RFC 8089).
    /// Throws `invalidURL` for another host, and for a path that is not absolute or contains NUL.
    static func path(of url: URLText) throws(ImageError) -> [UInt8] {
        try url.validate()
        let host = String(decoding: url.host, as: UTF8.self).lowercased()
        guard host.isEmpty || host == "localhost" else { throw ImageError(.invalidURL, "file: URL names another host") }
        let path = PercentEncoding.decode(url.path)
        guard path.first == Byte.slash, !path.contains(0) else { throw ImageError(.invalidURL, "file: URL has no absolute path") }
        return path
    }

    /// Reads a regular file on the calling thread. `path` consists of the file system's own bytes.
    /// Throws `notFound`, `permissionDenied`, `notAFile`, `tooLarge`, `emptyData` or `ioError` for the file itself.
    package static func read(
        _ path: [UInt8], limit: Int, stop: CancellationToken = CancellationToken(), progress: LoadProgress = .none
    ) throws(ImageError) -> Bytes {
        try stop.check()
        let descriptor = try openFile(path)
        defer { close(descriptor) }
        let size = try regularSize(descriptor)
        // Refused before any byte is read.
        guard size <= limit else { throw .tooLarge("file: size of \(size) bytes", limit: limit) }
        let body = GrowingBody(limit: limit)
        try body.reserve(size)
        progress.arrives(in: body)
        progress(0, Int64(size))
        // The size may change meanwhile: only a read of 0 bytes marks the end of the file.
        while true {
            try stop.check()
            let offset = body.count
            // One byte more than expected, to notice the end of the file or its growth; after that byte, any number. Files of
            // procfs and of some file systems in user space have a size of 0.
            let expected = offset > size ? piece : min(size - offset, piece) + 1
            let wanted = min(piece, expected, max(limit - offset, 1))
            let count = unsafe try body.append(upTo: wanted) { room throws(ImageError) in
                unsafe try readPiece(descriptor, into: room, at: offset)
            }
            if count == 0 { break }
        }
        guard body.count > 0 else { throw ImageError(.emptyData, "file: empty") }
        progress(Int64(body.count), Int64(body.count))
        return body.finish()
    }

    /// The caller closes the descriptor.
    static func openFile(_ path: [UInt8]) throws(ImageError) -> Int32 {
        // Non-blocking, because opening a FIFO would wait for its other end.
        let name = path.map { CChar(bitPattern: $0) } + [0]
        let descriptor = unsafe open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw failure(errno) }
        return descriptor
    }

    /// The absolute path of a folder, without symbolic links, in the file system's own bytes.
    /// Throws if the path is not a folder that can be searched.
    package static func folder(_ path: [UInt8]) throws(ImageError) -> [UInt8] {
        // The final dot refuses files.
        let name = (path + [Byte.slash, Byte.dot]).map { CChar(bitPattern: $0) } + [0]
        guard let resolved = unsafe realpath(name, nil) else { throw .file("folder: open failed", errno) }
        defer { unsafe free(resolved) }
        return unsafe Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
    }

    /// Bytes read at `offset`, fewer than the room at the end of the file; 0 at the end. Retries after signals.
    static func readPiece(
        _ descriptor: Int32, into room: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(ImageError) -> Int {
        while true {
            let count = unsafe pread(descriptor, room.baseAddress, room.count, offset)
            if count >= 0 { return count }
            guard errno == EINTR else { throw failure(errno) }
        }
    }

    /// Bytes of the file. Throws `notAFile` for folders, devices and pipes.
    static func regularSize(_ descriptor: Int32) throws(ImageError) -> Int {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw ImageError(.notAFile, "file: not a regular file") }
        return max(0, status.st_size)
    }

    /// Error of a system call on a file.
    private static func failure(_ code: Int32) -> ImageError {
        switch code {
        case ENOENT, ENOTDIR: ImageError(.notFound, "file: does not exist", systemError: code)
        case EACCES, EPERM: ImageError(.permissionDenied, "file: not readable by this user", systemError: code)
        case EISDIR, ENXIO: ImageError(.notAFile, "file: not a regular file", systemError: code)
        default: ImageError(.ioError, "file: read failed", systemError: code)
        }
    }
}
