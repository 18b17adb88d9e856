import CSDImage
import SDImage
import Synchronization

/// A loader of the host: the adapter of `sdimage_loader_vtable` (include/sdimage/sys/loader.h). Its `load` runs on a thread that
/// may block for a while; the fetched bytes arrive through the sink, from any thread.
package final class ForeignLoader: ImageLoader {
    package let name: String
    /// Tells this loader from others of the same name in keys of shared work.
    package let number = UniqueNumber.next()
    private let host: ForeignTable<sdimage_loader_vtable>
    private let standardLimit: Int

    /// `standardLimit`: the maximum number of bytes for requests that set none.
    package init(
        name: String, _ table: UnsafePointer<sdimage_loader_vtable>?, _ foreign: Foreign, standardLimit: Int
    ) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_loader_vtable>.offset(of: \.cancel) ?? 0
        let copy = unsafe try Input.table(table, size: size, required: required, empty: sdimage_loader_vtable())
        guard unsafe copy.can_load != nil, unsafe copy.load != nil else {
            throw ImageError(.invalidArgument, "loader: vtable lacks can_load or load")
        }
        self.name = name
        self.standardLimit = standardLimit
        host = ForeignTable(copy, foreign)
    }

    /// Asks the host, on the thread of the caller.
    package func canLoad(_ request: ImageRequest) -> Bool {
        let lent = RequestObject(request)
        defer { withExtendedLifetime(lent) {} }
        return unsafe host.table.can_load(host.userData, Handle.lend(lent))
    }

    /// Option values of the host may change the bytes, and cannot be compared: such requests are not shared.
    package func sharingKey(_ request: ImageRequest) -> SharingKey? {
        // Everything else than the URL may change the bytes.
        guard !request.hasOptionsOfHost, request.headers.isEmpty, request.omittedHeaders.isEmpty, request.isGet,
            canShare(request)
        else { return nil }
        return SharingKey(url: request.url)
    }

    /// True if whole loads may be shared without asking the host for each.
    package var sharesEqualLoads: Bool { unsafe host.table.can_share == nil }

    /// Asks the host if the bytes depend on the URL alone.
    private func canShare(_ request: ImageRequest) -> Bool {
        guard let canShare = unsafe host.table.can_share else { return true }
        let lent = RequestObject(request)
        defer { withExtendedLifetime(lent) {} }
        return unsafe canShare(host.userData, Handle.lend(lent))
    }

    /// Asks the host if the URL is to be refused for a while; without a function, definite failures are remembered.
    package func remembersFailure(_ error: ImageError, of request: ImageRequest) -> Bool {
        guard let decide = unsafe host.table.should_remember_failure else { return error.isDefinite }
        let lent = RequestObject(request)
        defer { withExtendedLifetime((lent, error)) {} }
        return unsafe decide(host.userData, Handle.lend(lent), Handle.lend(error))
    }

    /// Waits until the sink is finished or released, or the load is cancelled.
    package func load(_ request: ImageRequest, progress: LoadProgress) async throws(ImageError) -> LoadedData {
        guard let engine = Engine.current else { throw .shutdown }
        let inflow = Inflow(request, standardLimit: standardLimit, progress: progress)
        let outcome: Result<LoadedData, ImageError> = await withTaskCancellationHandler {
            await suspended { resume in
                // The wait comes first: the loader may finish before `submit` returns.
                inflow.wait(resume)
                engine.loaders.submit(request.priority) { [self] in begin(request, inflow) }
            }
        } onCancel: {
            // The host is told once, and only while it holds the sink.
            if inflow.cancel(), let sink = inflow.sink { unsafe host.table.cancel?(host.userData, Handle.lend(sink)) }
        }
        var data = try outcome.get()
        data.finalURL = request.url
        data.isWorthKeeping = data.isWorthKeeping && inflow.isStorable
        return data
    }

    /// Calls `load` of the table. The host borrows the sink and may retain it; without another reference, its release here ends
    /// the load.
    private func begin(_ request: ImageRequest, _ inflow: Inflow) {
        let sink = LoadSink(inflow)
        guard inflow.lend(sink, to: host.foreign) else { return inflow.finish(ImageError.cancelled) }
        let lent = RequestObject(request)
        let status = unsafe host.table.load(host.userData, Handle.lend(lent), Handle.lend(sink))
        withExtendedLifetime(lent) {}
        if status.rawValue < 0 { inflow.finish(unsafe ImageError.foreign(status, nil)) }
    }
}
