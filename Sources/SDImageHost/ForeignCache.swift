import CSDImage
import SDImage

/// A cache of the host: the adapter of `sdimage_cache_vtable` (include/sdimage/sys/cache.h).
///
/// Memory functions run on the thread of the load and must not block. All others run on the threads `sdimage-hook`. Those with
/// a reply complete it when they are done (`PendingReply`).
package final class ForeignCache: ImageCaching, MemoryCaching, DataCaching, LeaseGranting {
    private let host: ForeignTable<sdimage_cache_vtable>
    /// Keeps the engine, on whose threads the functions run.
    private let lease: EngineLease
    /// Stores in the background.
    private let pending = PendingStores()
    /// False for a cache in memory only.
    private let stores: Bool

    /// Accepts a table with data functions or one with memory functions only; throws for anything between.
    package init(_ table: UnsafePointer<sdimage_cache_vtable>?, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_cache_vtable>.offset(of: \.contains) ?? 0
        let copy = unsafe try Input.table(table, size: size, required: required, empty: sdimage_cache_vtable())
        let stores = unsafe copy.store != nil || copy.store_entry != nil
        let isComplete = unsafe copy.query != nil && stores
        let isMemoryOnly = unsafe copy.query == nil && !stores && copy.memory_image != nil
        guard isComplete || isMemoryOnly, unsafe copy.remove != nil else {
            throw ImageError(.invalidArgument, "cache: vtable lacks query, store or remove")
        }
        self.stores = stores
        host = ForeignTable(copy, foreign)
        lease = try Engine.acquire()
    }

    /// The image in the host's memory; nil if it has none, or no memory part.
    package func image(for key: UnsafeRawBufferPointer) -> Image? {
        guard let function = unsafe host.table.memory_image else { return nil }
        let image = unsafe function(host.userData, key.baseAddress, key.count)
        // The function returns a reference of its own; `find` has taken another.
        defer { unsafe Handle.unref(image, as: Image.self) }
        return unsafe Handle.find(image, as: Image.self)
    }

    /// Offers an image to the host's memory.
    package func store(_ image: Image, for key: CacheKey) {
        // A private response must not reach other processes (RFC 9111, section 5.2.2.7).
        if isShared, image.metadata.response?.record.isPrivate == true { return }
        unsafe key.bytes.withUnsafeBytes { bytes in
            unsafe host.table.set_memory_image?(host.userData, bytes.baseAddress, bytes.count, Handle.lend(image))
        }
    }

    /// Queries the entry; the named values of the request are lent until the host replies.
    package func data(for key: CacheKey, options: FrozenOptions?) async throws(ImageError) -> CachedData? {
        guard unsafe host.table.query != nil else { return nil }
        let lent = options.map { OptionsObject($0.bag) }
        defer { withExtendedLifetime(lent) {} }
        var found = unsafe try await call(key) { table, userData, bytes, reply in
            unsafe table.query?(userData, bytes.baseAddress, bytes.count, Handle.lend(lent), reply)
        }
        found?.isShared = isShared
        return found
    }

    /// Stores an entry, with its metadata if the table has the function for it; returns when the host has replied.
    package func store(_ data: CachedData, for key: CacheKey) async throws(ImageError) {
        guard stores else { throw ImageError(.unsupported, "cache: no disk part") }
        if isShared, data.isPrivate { return }
        let lent = data.options.map { OptionsObject($0.bag) }
        let entry = unsafe host.table.store_entry == nil ? nil : CacheEntryObject(data)
        // The statements below may outlive the call for a while: the lease must not.
        let stored = data.bytes
        defer { withExtendedLifetime((lent, entry, data.lease)) {} }
        _ = unsafe try await call(key) { table, userData, bytes, reply in
            if let entry {
                unsafe table.store_entry?(
                    userData, bytes.baseAddress, bytes.count, Handle.lend(entry), Handle.lend(lent), reply)
            } else {
                unsafe table.store?(
                    userData, bytes.baseAddress, bytes.count, Handle.lend(stored), Handle.lend(lent), reply)
            }
        }
    }

    /// Stores in the background; no caller waits. Failures are only logged.
    package func enqueueStore(_ data: CachedData, for key: CacheKey) {
        guard stores, !isShared || !data.isPrivate else { return }
        let number = pending.begin()
        Task(executorPreference: lease.engine.executor) { [self] in
            defer { pending.finish(number) }
            do throws(ImageError) { try await store(data, for: key) } catch {
                // An entry refused by the cache's own rules is no defect.
                let level: Log.Level = [.busy, .tooLarge].contains(error.status) ? .info : .error
                Log.write(level, "custom cache: store failed: \(error.message.string)")
            }
        }
    }

    /// Waits for the stores in the background; blocks the calling thread.
    package func flushNow(deadline: UInt64) throws(ImageError) {
        guard pending.wait(deadline: deadline) else { throw ImageError(.timeout, "custom cache: stores are under way") }
    }

    /// Stores the entry with the new record if its record still has the validators of `old`. A cache of bytes alone has no
    /// record to update. In a shared cache another process may store a newer image meanwhile: there the cache itself compares.
    package func updateRecord(_ key: CacheKey, from old: ResponseRecord, to new: ResponseRecord) async {
        guard unsafe host.table.store_entry != nil else { return }
        do throws(ImageError) {
            if isShared, new.isPrivate { return try await remove(key, from: .disk) }
            guard let found = try await self.data(for: key), found.record.hasSameValidators(as: old) else { return }
            var data = found
            data.record = new
            if isShared { try await replace(found, by: data, for: key) } else { try await store(data, for: key) }
        } catch {
            Log.write(.error, "custom cache: update after revalidation failed: \(error.message.string)")
        }
    }

    /// Replaces an entry; does nothing if the table lacks the function.
    private func replace(_ old: CachedData, by new: CachedData, for key: CacheKey) async throws(ImageError) {
        guard unsafe host.table.replace_entry != nil else { return }
        let entries = (CacheEntryObject(old), CacheEntryObject(new))
        defer { withExtendedLifetime(entries) {} }
        _ = unsafe try await call(key) { table, userData, bytes, reply in
            unsafe table.replace_entry?(
                userData, bytes.baseAddress, bytes.count, Handle.lend(entries.0), Handle.lend(entries.1), reply)
        }
    }

    /// True if several processes share the cache. Leases are for such caches.
    private var isShared: Bool { unsafe host.table.is_shared || host.table.lease != nil }

    package var mayHaveData: Bool { unsafe host.table.query != nil }

    package var leases: (any LeaseGranting)? { unsafe host.table.lease == nil ? nil : self }

    /// Asks for the right to fetch. The host replies with an entry that another process has stored, or without one, which grants
    /// the lease.
    package func lease(_ key: CacheKey, newerThan date: UInt64, options: FrozenOptions?) async -> CacheLeasing {
        let lent = options.map { OptionsObject($0.bag) }
        defer { withExtendedLifetime(lent) {} }
        do throws(ImageError) {
            var found = unsafe try await call(key) { table, userData, bytes, reply in
                unsafe table.lease?(userData, bytes.baseAddress, bytes.count, date, Handle.lend(lent), reply)
            }
            found?.isShared = true
            if let found { return .found(found) }
            return .granted(CacheLease { [self] in end(key) })
        } catch {
            // The load continues with the origin if the cache has failed.
            return .unknown
        }
    }

    /// Reports the end of a lease to the host, on a thread that may block.
    private func end(_ key: CacheKey) {
        lease.engine.hooks.submit(.normal) { [self] in
            unsafe key.bytes.withUnsafeBytes { bytes in
                unsafe host.table.end_lease?(host.userData, bytes.baseAddress, bytes.count)
            }
        }
    }

    /// Removes an entry whose bytes could not be decoded.
    package func dropDamaged(_ data: CachedData, for key: CacheKey) {
        Task(executorPreference: lease.engine.executor) { [self] in
            do throws(ImageError) { try await remove(key, from: .disk) } catch {
                Log.write(.error, "custom cache: remove failed: \(error.message.string)")
            }
        }
    }

    package func remove(_ key: CacheKey, from layers: CacheLayers) async throws(ImageError) {
        _ = unsafe try await call(key) { table, userData, bytes, reply in
            unsafe table.remove(userData, bytes.baseAddress, bytes.count, layers.code, reply)
        }
    }

    /// The first of the layers that has the entry.
    package func contains(_ key: CacheKey, in layers: CacheLayers) async throws(ImageError) -> CacheLayers {
        if layers.contains(.memory), image(for: key) != nil { return .memory }
        guard layers.contains(.disk) else { return [] }
        // Without a function for it, the entry itself is queried.
        guard unsafe host.table.contains != nil else { return try await self.data(for: key) == nil ? [] : .disk }
        let found = unsafe try await call(key) { table, userData, bytes, reply in
            unsafe table.contains?(userData, bytes.baseAddress, bytes.count, reply)
        }
        return found == nil ? [] : .disk
    }

    /// Removes all entries; `unsupported` if the table has no function for it.
    package func clear(_ layers: CacheLayers) async throws(ImageError) {
        guard unsafe host.table.clear != nil else { throw ImageError(.unsupported, "cache: vtable lacks clear") }
        _ = unsafe try await call(CacheKey([])) { table, userData, _, reply in
            unsafe table.clear?(userData, layers.code, reply)
        }
    }

    /// Calls a function of the host on a thread that may block, and waits for its reply.
    private func call(
        _ key: CacheKey,
        _ call: @escaping @Sendable (sdimage_cache_vtable, UserData, UnsafeRawBufferPointer, Object) -> Void
    ) async throws(ImageError) -> CachedData? {
        unsafe try await PendingReply.askForEntry(on: lease.engine) { [host] reply in
            unsafe key.bytes.withUnsafeBytes { unsafe call(host.table, host.userData, $0, reply) }
        }
    }
}
