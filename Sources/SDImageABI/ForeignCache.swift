import CSDImage
import SDImage

/// A cache of the host.
final class ForeignCache: ImageCaching {
    private let host: ForeignTable<sdimage_cache_vtable>
    private let lease: EngineLease

    init(_ table: UnsafePointer<sdimage_cache_vtable>?, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_cache_vtable>.offset(of: \.contains) ?? 0
        let copy = unsafe try Input.table(table, size: size, required: required, empty: sdimage_cache_vtable())
        let isComplete = unsafe copy.query != nil && copy.store != nil
        let isMemoryOnly = unsafe copy.query == nil && copy.store == nil && copy.memory_image != nil
        guard isComplete || isMemoryOnly, unsafe copy.remove != nil else {
            throw ImageError(.invalidArgument, "the table lacks query, store or remove")
        }
        host = ForeignTable(copy, foreign)
        lease = try Engine.acquire()
    }

    func memoryImage(for key: UnsafeRawBufferPointer) -> Image? {
        guard let function = unsafe host.table.memory_image else { return nil }
        let image = unsafe function(host.userData, key.baseAddress, key.count)
        defer { unsafe Handle.unref(image, as: Image.self) }
        return unsafe Handle.find(image, as: Image.self)
    }

    func storeInMemory(_ image: Image, for key: CacheKey) {
        unsafe key.bytes.withUnsafeBytes { bytes in
            unsafe host.table.set_memory_image?(host.userData, bytes.baseAddress, bytes.count, Handle.lend(image))
        }
    }

    func diskData(for key: CacheKey, options: FrozenOptions?) async throws(ImageError) -> CachedData? {
        guard unsafe host.table.query != nil else { return nil }
        let lent = options.map { OptionsObject($0.bag) }
        defer { withExtendedLifetime(lent) {} }
        return unsafe try await ask(key) { table, userData, bytes, reply in
            unsafe table.query?(userData, bytes.baseAddress, bytes.count, Handle.lend(lent), reply)
        }.map(CachedData.init(bytes:))
    }

    func storeOnDisk(_ data: CachedData, for key: CacheKey) async throws(ImageError) {
        guard unsafe host.table.store != nil else { throw ImageError(.unsupported, "a cache in memory only") }
        let lent = data.options.map { OptionsObject($0.bag) }
        defer { withExtendedLifetime(lent) {} }
        _ = unsafe try await ask(key) { table, userData, bytes, reply in
            unsafe table.store?(
                userData, bytes.baseAddress, bytes.count, Handle.lend(data.bytes), Handle.lend(lent), reply)
        }
    }

    func enqueueDiskStore(_ data: CachedData, for key: CacheKey) {
        guard unsafe host.table.store != nil else { return }
        Task(executorPreference: lease.engine.executor) { [self] in
            do throws(ImageError) { try await storeOnDisk(data, for: key) } catch {
                Log.write(.error, "a cache of the host could not store: \(error.message.string)")
            }
        }
    }

    func dropDamaged(_ data: CachedData, for key: CacheKey) {
        Task(executorPreference: lease.engine.executor) { [self] in
            do throws(ImageError) { try await remove(key, from: .disk) } catch {
                Log.write(.error, "a cache of the host could not remove: \(error.message.string)")
            }
        }
    }

    func remove(_ key: CacheKey, from layers: CacheLayers) async throws(ImageError) {
        _ = unsafe try await ask(key) { table, userData, bytes, reply in
            unsafe table.remove(userData, bytes.baseAddress, bytes.count, layers.code, reply)
        }
    }

    func contains(_ key: CacheKey, in layers: CacheLayers) async throws(ImageError) -> CacheLayers {
        if layers.contains(.memory), memoryImage(for: key) != nil { return .memory }
        guard layers.contains(.disk) else { return [] }
        guard unsafe host.table.contains != nil else { return try await diskData(for: key) == nil ? [] : .disk }
        let found = unsafe try await ask(key) { table, userData, bytes, reply in
            unsafe table.contains?(userData, bytes.baseAddress, bytes.count, reply)
        }
        return found == nil ? [] : .disk
    }

    func clear(_ layers: CacheLayers) async throws(ImageError) {
        guard unsafe host.table.clear != nil else { throw ImageError(.unsupported, "the table lacks clear") }
        _ = unsafe try await ask(CacheKey([])) { table, userData, _, reply in
            unsafe table.clear?(userData, layers.code, reply)
        }
    }

    /// Calls a function of the host where it may block, and waits for its reply.
    private func ask(
        _ key: CacheKey,
        _ call: @escaping @Sendable (sdimage_cache_vtable, UserData, UnsafeRawBufferPointer, Object) -> Void
    ) async throws(ImageError) -> Bytes? {
        unsafe try await Answer.ask(on: lease.engine) { [host] reply in
            unsafe key.bytes.withUnsafeBytes { unsafe call(host.table, host.userData, $0, reply) }
        }
    }
}
