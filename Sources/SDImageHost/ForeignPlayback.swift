import CSDImage
import SDImage

/// The host's callbacks for one player: `sdimage_player_handler`. `AnimationPlayer` calls them outside its lock.
package final class ForeignPlayback: PlaybackHandler {
    private let host: ForeignTable<sdimage_player_handler>

    /// NULL is a handler without functions.
    package init(_ table: UnsafePointer<sdimage_player_handler>?, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_player_handler>.offset(of: \.loop) ?? 0
        let copy =
            unsafe table == nil
            ? sdimage_player_handler()
            : try Input.table(table, size: size, required: required, empty: sdimage_player_handler())
        host = ForeignTable(copy, foreign)
    }

    package var wantsFrames: Bool { unsafe host.table.frame != nil }

    package func frame(_ player: AnimationPlayer, _ index: Int, _ image: Image) {
        unsafe host.table.frame?(host.userData, Handle.lend(player), UInt32(clamping: index), Handle.lend(image))
    }

    package func loop(_ player: AnimationPlayer, _ count: Int) {
        unsafe host.table.loop?(host.userData, Handle.lend(player), UInt32(clamping: count))
    }
}
