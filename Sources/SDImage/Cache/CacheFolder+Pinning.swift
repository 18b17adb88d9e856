import Glibc

/// Used by `Pins`. Each instance has a folder of pins of its own, which `CacheSweep` removes if the process dies.
extension CacheFolder {
    /// Creates a hard link to the file, or a copy when linking fails.
    /// A link shares the blocks of the file and survives the removal of the entry. Blocks.
    func pin(_ name: CacheFileName, _ bytes: Bytes, for instance: UInt64) throws(ImageError) {
        let pins = try root.folder(making: "pins", mode: modes.folder).folder(
            making: Hexadecimal.string(instance), mode: modes.folder)
        // The name identifies the write, so an existing pin is this one.
        if pins.status(of: name.name) != nil { return }
        // The bytes may be inside the database, the file removed meanwhile, or the file system without links.
        if let folder = try? root.folder(name.folder),
            unsafe linkat(folder.number, name.name, pins.number, name.name, 0) == 0
        {
            return
        }
        // Written under a temporary name until complete, because other callers may pin the same entry now.
        let temporary = name.name + "-" + Hexadecimal.string(UInt64.random(in: 0...UInt64.max))
        let file = try pins.file(making: temporary, mode: modes.file)
        do throws(ImageError) {
            unsafe try bytes.withUnsafeBytes { buffer throws(ImageError) in unsafe try file.write(buffer) }
            try pins.rename(temporary, to: name.name)
        } catch {
            pins.remove(temporary)
            throw error
        }
    }

    /// Path that `pin` makes.
    func pinPath(_ name: CacheFileName, for instance: UInt64) -> String {
        path + "/pins/" + Hexadecimal.string(instance) + "/" + name.name
    }

    /// Ignores paths outside the folder of the instance.
    func removePin(_ pinned: String, of instance: UInt64) {
        let prefix = path + "/pins/" + Hexadecimal.string(instance) + "/"
        guard pinned.hasPrefix(prefix), let pins = try? root.folder("pins"),
            let own = try? pins.folder(Hexadecimal.string(instance))
        else { return }
        own.remove(String(pinned.dropFirst(prefix.count)))
    }

    /// Called when the cache is closed, and for dead instances.
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
