import CSDImage
import Foundation
import Testing

@Suite struct OptionsTests {
    @Test func everyTypeComesBackAndAnotherTypeIsAbsent() throws {
        let options = sdimage_options_new()
        defer { sdimage_options_unref(options) }
        let data = try make(sdimage_data_unref) { sdimage_data_new("xyz", 3, $0, $1) }
        sdimage_options_set_string(options, "s", "text")
        sdimage_options_set_int64(options, "i", Int64.min)
        sdimage_options_set_double(options, "d", 0.5)
        sdimage_options_set_bool(options, "b", true)
        sdimage_options_set_data(options, "x", data.pointer)
        #expect(sdimage_options_count(options) == 5)
        #expect(String(cString: sdimage_options_string(options, "s", nil)) == "text")
        #expect(sdimage_options_int64(options, "i", 0) == Int64.min)
        #expect(sdimage_options_double(options, "d", 0) == 0.5)
        #expect(sdimage_options_is_true(options, "b", false))
        #expect(sdimage_options_data(options, "x") == data.pointer)
        #expect(sdimage_options_int64(options, "s", 7) == 7)
        #expect(sdimage_options_string(options, "i", nil) == nil)
        sdimage_options_set_string(options, "s", nil)
        sdimage_options_remove(options, "absent")
        #expect(!sdimage_options_has(options, "s"))
        #expect(sdimage_options_count(options) == 4)
    }

    @Test func aPointerIsDestroyedOnceWithTheLastCopy() throws {
        let destroyed = DispatchSemaphore(value: 0)
        let options = sdimage_options_new()
        sdimage_options_set_pointer(options, "p", Unmanaged.passRetained(destroyed).toOpaque()) { value in
            Unmanaged<DispatchSemaphore>.fromOpaque(value!).takeRetainedValue().signal()
        }
        let request = sdimage_request_new("test://a")
        sdimage_request_set_options(request, options)
        sdimage_options_unref(options)
        #expect(
            sdimage_options_pointer(sdimage_request_options(request), "p") == Unmanaged.passUnretained(destroyed).toOpaque())
        #expect(destroyed.wait(timeout: .now()) == .timedOut)
        sdimage_request_unref(request)
        #expect(destroyed.wait(timeout: .now() + 120) == .success)
    }

    // In a process of its own: where no thread of the library runs, the call that removes a value destroys it.
    @Test func aDestructorMayUseTheOptions() async {
        await #expect(processExitsWith: .success) {
            let options = sdimage_options_new()
            sdimage_options_set_pointer(options, "p", UnsafeMutableRawPointer(options)) {
                sdimage_options_set_bool(OpaquePointer($0), "destroyed", true)
            }
            sdimage_options_remove(options, "p")
            #expect(sdimage_options_is_true(options, "destroyed", false))
            sdimage_options_unref(options)
        }
    }

    // The same for objects that a request or a configuration holds: their last reference is released within the setter.
    @Test func aDestructorMayUseTheObjectThatHeldItsOwner() async {
        await #expect(processExitsWith: .success) {
            let options = sdimage_options_new()
            let request = sdimage_request_new("test://a")
            sdimage_options_set_pointer(options, "p", UnsafeMutableRawPointer(request)) {
                sdimage_request_set_header(OpaquePointer($0), "Destroyed", "yes")
            }
            sdimage_request_set_options(request, options)
            sdimage_options_unref(options)
            sdimage_request_set_options(request, nil)
            #expect(sdimage_request_header(request, "Destroyed").map { String(cString: $0) } == "yes")
            sdimage_request_unref(request)

            let config = sdimage_cache_config_new()
            var table = sdimage_cache_path_vtable()
            table.size = MemoryLayout<sdimage_cache_path_vtable>.size
            table.path = { _, _, _, _, _ in 0 }
            let destroy: sdimage_destroy_fn = { sdimage_cache_config_set_memory_only(OpaquePointer($0), true) }
            let status = sdimage_cache_config_set_additional_path(config, &table, UnsafeMutableRawPointer(config), destroy, nil)
            #expect(status == .SDIMAGE_STATUS_OK)
            #expect(!sdimage_cache_config_is_memory_only(config))
            #expect(sdimage_cache_config_set_additional_path(config, nil, nil, nil, nil) == .SDIMAGE_STATUS_OK)
            #expect(sdimage_cache_config_is_memory_only(config))
            sdimage_cache_config_unref(config)
        }
    }
}
