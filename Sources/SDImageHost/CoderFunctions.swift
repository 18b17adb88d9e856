import CSDImage
import SDImage

/// The functions of a coder of the host. Calls them on the thread of the operation, or on separate threads. Shared by
/// `ForeignCoder`, its instances and its vector images.
package final class CoderFunctions: Sendable {
    private let host: ForeignTable<sdimage_coder_vtable>
    /// nil if calls run on the thread of the operation.
    private let detached: DetachedCalls?
    /// Finishes decoded images.
    private let registry: CoderRegistry

    package var table: sdimage_coder_vtable { host.table }
    package var userData: UserData { unsafe host.userData }
    /// True if calls may outlast their operation.
    package var isDetached: Bool { detached != nil }

    /// The stack in the table decides on separate threads: 0 for none, otherwise 64 KiB to 512 MiB.
    package init(_ host: ForeignTable<sdimage_coder_vtable>, _ registry: CoderRegistry) {
        self.host = host
        self.registry = registry
        // 512 MiB of address space is enough for libraries whose recursion depth a file controls.
        let stackBytes = min(host.table.detached_stack, 512 << 20)
        detached = stackBytes > 0 ? DetachedCalls(stackBytes: max(64 << 10, stackBytes)) : nil
    }

    /// Bytes that stay valid for the duration of a call.
    package func lasting(_ bytes: Bytes) throws(ImageError) -> Bytes { isDetached ? try bytes.copiedIfLent() : bytes }

    /// Runs a call. Its result counts while the budget lasts; a call that had to end fails with the budget's error.
    package func call<R: Sendable>(
        _ budget: WorkBudget, _ body: @escaping @Sendable () throws(ImageError) -> R
    ) throws(ImageError) -> R {
        try budget.check()
        do throws(ImageError) {
            let result: R
            if let detached {
                result = try detached.run(budget) {
                    do throws(ImageError) {
                        return .success(try HostPixels.raising(limit: budget.bitmapBytes, body))
                    } catch { return .failure(error) }
                }
            } else {
                result = try HostPixels.raising(limit: budget.bitmapBytes, body)
            }
            try budget.check()
            return result
        } catch {
            try budget.check()
            throw error
        }
    }

    /// The image resized, rotated and converted according to the options, as far as the coder has not done so.
    package func finished(_ image: Image, _ options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        let image = try registry.fit(image, options: options, stop: stop)
        var metadata = image.metadata
        let isThumbnail = metadata.isThumbnail || options.wantsThumbnail && options.limitBytes == 0
        guard metadata.isEdited || isThumbnail != metadata.isThumbnail else { return image }
        metadata.isThumbnail = isThumbnail
        // A coder sets metadata with the functions of the host; its image still represents the bytes.
        metadata.isEdited = false
        return image.with(metadata)
    }
}
