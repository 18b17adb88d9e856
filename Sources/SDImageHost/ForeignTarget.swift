import CSDImage
import SDImage

/// A widget of the host: the adapter of `sdimage_target_vtable` (include/sdimage/target.h). `ImageTarget` calls it on its
/// dispatcher, in the order that the header describes.
package final class ForeignTarget: TargetHost {
    private let host: ForeignTable<sdimage_target_vtable>

    package init(_ table: UnsafePointer<sdimage_target_vtable>?, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_target_vtable>.offset(of: \.set_image) ?? 0
        host = unsafe ForeignTable(
            try Input.table(table, size: size, required: required, empty: sdimage_target_vtable()), foreign)
    }

    /// True if the host shows the fraction that has arrived.
    package var showsProgress: Bool { unsafe host.table.indicator_update != nil }

    /// True if the host has any function for transitions.
    package var canAnimate: Bool {
        unsafe host.table.transition_prepare != nil || host.table.transition_animate != nil || host.table.transition_end != nil
    }

    package func setImage(_ key: CString, _ image: Image?, _ result: ImageResult?) {
        unsafe host.table.set_image?(host.userData, key.pointer, Handle.lend(image), Handle.lend(result))
    }

    package func startIndicator(_ key: CString) { unsafe host.table.indicator_start?(host.userData, key.pointer) }

    package func stopIndicator(_ key: CString) { unsafe host.table.indicator_stop?(host.userData, key.pointer) }

    package func updateIndicator(_ key: CString, fraction: Double) {
        unsafe host.table.indicator_update?(host.userData, key.pointer, fraction)
    }

    package func prepareTransition(_ key: CString, _ transition: TargetTransition, _ image: Image?, _ result: ImageResult) {
        unsafe host.table.transition_prepare?(
            host.userData, key.pointer, transition.code, transition.durationMilliseconds, Handle.lend(image), Handle.lend(result))
    }

    package func animateTransition(_ key: CString, _ transition: TargetTransition, _ image: Image?) {
        unsafe host.table.transition_animate?(
            host.userData, key.pointer, transition.code, transition.durationMilliseconds, Handle.lend(image))
    }

    package func endTransition(_ key: CString, finished: Bool) {
        unsafe host.table.transition_end?(host.userData, key.pointer, finished)
    }
}

extension TargetTransition {
    package var code: sdimage_transition { sdimage_transition(rawValue: number) ?? .SDIMAGE_TRANSITION_NONE }
}
