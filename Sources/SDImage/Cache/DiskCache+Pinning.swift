import Glibc

extension DiskCache {
    /// Path of a file with the bytes of an entry, which stays until the cache is closed, whatever is evicted
    /// (decisions R26); `notFound` without an entry. Blocks.
    package func pathNow(for key: CacheKey) throws(ImageError) -> String {
        try check()
        if case .stored = state.withLock({ $0.pending.answer(for: key) }) { commitAll() }
        guard let data = try dataNow(for: key), let write = data.write else {
            throw ImageError(.notFound, "no such entry in the cache")
        }
        let opened = try opened()
        return try opened.folder.pin(CacheFileName(key: key, write: write), data.bytes, for: opened.instance.id)
    }
}

extension CacheFolder {
    /// Makes a second name of the file, or a copy where that cannot be.
    func pin(_ name: CacheFileName, _ bytes: Bytes, for instance: UInt64) throws(ImageError) -> String {
        let owner = Hexadecimal.string(instance)
        let pins = try root.folder(making: "pins").folder(making: owner)
        let path = path + "/pins/" + owner + "/" + name.name
        // The name tells the write: a pin that exists is this one.
        if pins.status(of: name.name) != nil { return path }
        if let folder = try? root.folder(name.folder),
            unsafe linkat(folder.number, name.name, pins.number, name.name, 0) == 0
        {
            return path
        }
        // Under a name of its own until it is whole, because others may pin the same entry now.
        let draft = name.name + "-" + Hexadecimal.string(UInt64.random(in: 0...UInt64.max))
        let file = try pins.file(making: draft)
        do throws(ImageError) {
            unsafe try bytes.withUnsafeBytes { buffer throws(ImageError) in unsafe try file.write(buffer) }
            try pins.rename(draft, to: name.name)
        } catch {
            pins.remove(draft)
            throw error
        }
        return path
    }

    func removePins(of instance: UInt64) {
        let owner = Hexadecimal.string(instance)
        // Usually there are none.
        guard let all = try? root.folder("pins"), let pins = try? all.folder(owner) else { return }
        pins.forEachName { name in
            pins.remove(name)
            return true
        }
        all.removeFolder(owner)
    }
}
