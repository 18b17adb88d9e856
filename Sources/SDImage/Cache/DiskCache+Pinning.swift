import Glibc

extension DiskCache {
    /// Path of a file with the bytes of an entry (docs/decisions.md, "Paths of entries are pins"). The file survives eviction
    /// until it is unpinned as often as it was handed out, or the cache is closed. Throws `notFound` without an entry. Blocks.
    package func pathNow(for key: CacheKey) throws(ImageError) -> String {
        try check()
        if case .stored = state.withLock({ $0.pending.answer(for: key) }) { commitAll() }
        guard let data = try dataNow(for: key), let write = data.write else {
            throw ImageError(.notFound, "no such entry in the cache")
        }
        let site = try opener.site()
        let name = CacheFileName(key: key, write: write)
        // Count first: a concurrent unpin of the same path must not remove the file that is about to be returned.
        let path = site.folder.pinPath(name, for: site.instance.id)
        state.withLock { $0.pins[path, default: 0] += 1 }
        do throws(ImageError) {
            try site.folder.pin(name, data.bytes, for: site.instance.id)
            return path
        } catch {
            unpin(path)
            throw error
        }
    }

    /// Releases a path; the last release removes its file. False for a path that is not pinned. Blocks.
    package func unpinNow(_ path: String) throws(ImageError) -> Bool {
        try check()
        return unpin(path)
    }

    @discardableResult private func unpin(_ path: String) -> Bool {
        let site = try? opener.site()
        return state.withLock { state in
            guard let count = state.pins[path] else { return false }
            state.pins[path] = count > 1 ? count - 1 : nil
            // Must run under the lock: afterwards the same path may be handed out again.
            if count == 1, let site { site.folder.removePin(path, of: site.instance.id) }
            return true
        }
    }
}

extension CacheFolder {
    /// Creates a hard link to the file, or a copy when linking fails.
    func pin(_ name: CacheFileName, _ bytes: Bytes, for instance: UInt64) throws(ImageError) {
        let pins = try root.folder(making: "pins", mode: modes.folder).folder(
            making: Hexadecimal.string(instance), mode: modes.folder)
        // The name identifies the write, so an existing pin is this one.
        if pins.status(of: name.name) != nil { return }
        if let folder = try? root.folder(name.folder),
            unsafe linkat(folder.number, name.name, pins.number, name.name, 0) == 0
        {
            return
        }
        // Written under a temporary name until complete, because other callers may pin the same entry now.
        let draft = name.name + "-" + Hexadecimal.string(UInt64.random(in: 0...UInt64.max))
        let file = try pins.file(making: draft, mode: modes.file)
        do throws(ImageError) {
            unsafe try bytes.withUnsafeBytes { buffer throws(ImageError) in unsafe try file.write(buffer) }
            try pins.rename(draft, to: name.name)
        } catch {
            pins.remove(draft)
            throw error
        }
    }

    func pinPath(_ name: CacheFileName, for instance: UInt64) -> String {
        path + "/pins/" + Hexadecimal.string(instance) + "/" + name.name
    }

    func removePin(_ pinned: String, of instance: UInt64) {
        let prefix = path + "/pins/" + Hexadecimal.string(instance) + "/"
        guard pinned.hasPrefix(prefix), let pins = try? root.folder("pins"),
            let own = try? pins.folder(Hexadecimal.string(instance))
        else { return }
        own.remove(String(pinned.dropFirst(prefix.count)))
    }

    func removePins(of instance: UInt64) {
        let owner = Hexadecimal.string(instance)
        // Usually there are no pins.
        guard let all = try? root.folder("pins"), let pins = try? all.folder(owner) else { return }
        pins.forEachName { name in
            pins.remove(name)
            return true
        }
        all.removeFolder(owner)
    }
}
