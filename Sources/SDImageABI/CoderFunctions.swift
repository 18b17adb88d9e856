import CSDImage
import SDImage

/// The functions of a coder of the host. Calls them on the thread of the operation, or on separate threads.
final class CoderFunctions: Sendable {
    private let host: ForeignTable<sdimage_coder_vtable>
    private let detached: DetachedCalls?

    var table: sdimage_coder_vtable { host.table }
    var userData: UserData { unsafe host.userData }
    /// True if calls may outlast their operation.
    var isDetached: Bool { detached != nil }

    init(_ host: ForeignTable<sdimage_coder_vtable>) {
        self.host = host
        // 512 MiB of address space is enough for libraries whose recursion depth a file controls.
        let stackBytes = min(host.table.detached_stack, 512 << 20)
        detached = stackBytes > 0 ? DetachedCalls(stackBytes: max(64 << 10, stackBytes)) : nil
    }

    /// Bytes that stay valid for the duration of a call.
    func lasting(_ bytes: Bytes) throws(ImageError) -> Bytes { isDetached ? try bytes.copiedIfLent() : bytes }

    /// Runs a call. Its result counts while the budget lasts; a call that had to end fails with the budget's error.
    func call<R: Sendable>(
        _ budget: WorkBudget, _ body: @escaping @Sendable () throws(ImageError) -> R
    ) throws(ImageError) -> R {
        try budget.check()
        do throws(ImageError) {
            let result: R
            if let detached {
                result = try detached.run(budget) {
                    do throws(ImageError) { return .success(try body()) } catch { return .failure(error) }
                }
            } else {
                result = try body()
            }
            try budget.check()
            return result
        } catch {
            try budget.check()
            throw error
        }
    }
}
