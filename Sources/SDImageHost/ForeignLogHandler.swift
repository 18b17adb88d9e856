import CSDImage
import SDImage

/// The host's callback for messages of the log: `sdimage_log_handler`. Called on the thread that logs, perhaps under its locks
/// (`Log.isInSink`).
@safe package final class ForeignLogHandler: Sendable {
    private let host: ForeignTable<sdimage_log_handler>

    package init(_ table: UnsafePointer<sdimage_log_handler>, _ foreign: Foreign) throws(ImageError) {
        let required = MemoryLayout<sdimage_log_handler>.size
        let copy = unsafe try Input.table(table, size: table.pointee.size, required: required, empty: sdimage_log_handler())
        guard unsafe copy.message != nil else {
            throw ImageError(.invalidArgument, "argument: the table has no message function")
        }
        host = ForeignTable(copy, foreign)
    }

    package func write(_ level: Log.Level, _ message: CString) {
        let level = sdimage_log_level(rawValue: UInt32(level.rawValue)) ?? .SDIMAGE_LOG_LEVEL_INFO
        unsafe host.table.message?(host.userData, level, message.pointer)
    }
}
