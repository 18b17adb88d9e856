import CSDImage
import Foundation
import TestSupport
import Testing

/// Every property of managers, views, players and other running objects can be read.
@Suite struct ObjectGetterTests {
    @Test func managerConfigurations() throws {
        let config = Owned(sdimage_manager_config_new()) { sdimage_manager_config_unref($0) }
        expectProperty(
            config, sdimage_manager_config_set_freshness, sdimage_manager_config_freshness, .SDIMAGE_FRESHNESS_IGNORE,
            .SDIMAGE_FRESHNESS_REFRESH)
        expectProperty(
            config, sdimage_manager_config_set_ignore_signatures, sdimage_manager_config_should_ignore_signatures, false, true)
        expectProperty(
            config, sdimage_manager_config_set_failed_url_retry_after, sdimage_manager_config_failed_url_retry_after, 300, -1, 0)
        var object: OpaquePointer?
        #expect(!sdimage_manager_config_get_cache(config.pointer, &object))
        sdimage_manager_config_set_cache(config.pointer, nil)
        #expect(sdimage_manager_config_get_cache(config.pointer, &object) && object == nil)
        let cache = try makeCache(in: nil)
        sdimage_manager_config_set_cache(config.pointer, cache.pointer)
        #expect(stored(sdimage_cache_unref) { _ = sdimage_manager_config_get_cache(config.pointer, $0) } != nil)
        let flip = try make(sdimage_transformer_unref) { sdimage_transformer_new_flip(true, false, $0, $1) }
        #expect(stored(sdimage_transformer_unref) { sdimage_manager_config_get_transformer(config.pointer, $0) } == nil)
        sdimage_manager_config_set_transformer(config.pointer, flip.pointer)
        let transformer = stored(sdimage_transformer_unref) { sdimage_manager_config_get_transformer(config.pointer, $0) }
        #expect(text(sdimage_transformer_key(transformer?.pointer)) == text(sdimage_transformer_key(flip.pointer)))
        let chain = try make(sdimage_loader_unref) { sdimage_loader_new_chain($0, $1) }
        sdimage_manager_config_set_loader(config.pointer, chain.pointer)
        let loader = stored(sdimage_loader_unref) { sdimage_manager_config_get_loader(config.pointer, $0) }
        #expect(text(sdimage_loader_name(loader?.pointer)) == "chain")
        let queue = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) }
        sdimage_manager_config_set_dispatcher(config.pointer, queue.pointer)
        let dispatcher = stored(sdimage_dispatcher_unref) { sdimage_manager_config_get_dispatcher(config.pointer, $0) }
        #expect(sdimage_dispatcher_descriptor(dispatcher?.pointer) == sdimage_dispatcher_descriptor(queue.pointer))
        var table = sdimage_load_hooks_vtable()
        table.size = MemoryLayout.size(ofValue: table)
        let hooks = try make(sdimage_load_hooks_unref) { sdimage_load_hooks_new_custom(&table, nil, nil, $0, $1) }
        sdimage_manager_config_set_load_hooks(config.pointer, hooks.pointer)
        let read = stored(sdimage_load_hooks_unref) { sdimage_manager_config_get_load_hooks(config.pointer, $0) }
        #expect(read?.pointer == hooks.pointer)
    }

    @Test func prefetchers() throws {
        let prefetcher = try make(sdimage_prefetcher_unref) { sdimage_prefetcher_new(nil, nil, $0, $1) }
        func priority() -> sdimage_priority? {
            stored(sdimage_request_unref) { sdimage_prefetcher_copy_request(prefetcher.pointer, $0) }.map {
                sdimage_request_priority($0.pointer)
            }
        }
        #expect(priority() == .SDIMAGE_PRIORITY_LOW)
        let request = makeRequest("test://a")
        sdimage_prefetcher_set_request(prefetcher.pointer, request.pointer)
        #expect(priority() == .SDIMAGE_PRIORITY_NORMAL)
        sdimage_prefetcher_set_request(prefetcher.pointer, nil)
        #expect(priority() == .SDIMAGE_PRIORITY_LOW)
    }

    @Test func views() throws {
        let view = try make(sdimage_animated_view_unref) { sdimage_animated_view_new(nil, nil, nil, $0, $1) }
        #expect(!sdimage_animated_view_has_loop_limit(view.pointer))
        expectProperty(view, sdimage_animated_view_set_loop_limit, sdimage_animated_view_loop_limit, 0, 4, 0)
        #expect(sdimage_animated_view_has_loop_limit(view.pointer))
        sdimage_animated_view_reset_loop_limit(view.pointer)
        #expect(!sdimage_animated_view_has_loop_limit(view.pointer))
        #expect(stored(sdimage_transformer_unref) { sdimage_animated_view_get_transformer(view.pointer, $0) } == nil)
        let flip = try make(sdimage_transformer_unref) { sdimage_transformer_new_flip(true, false, $0, $1) }
        sdimage_animated_view_set_transformer(view.pointer, flip.pointer)
        let read = stored(sdimage_transformer_unref) { sdimage_animated_view_get_transformer(view.pointer, $0) }
        #expect(text(sdimage_transformer_key(read?.pointer)) == text(sdimage_transformer_key(flip.pointer)))
        let manager = try makeManager(cache: nil)
        var table = sdimage_target_vtable()
        table.size = MemoryLayout.size(ofValue: table)
        let target = try make(sdimage_target_unref) {
            sdimage_target_new(manager.pointer, nil, &table, nil, nil, $0, $1)
        }
        #expect(stored(sdimage_animated_view_unref) { sdimage_target_get_view(target.pointer, nil, $0) } == nil)
        sdimage_target_set_view(target.pointer, nil, view.pointer)
        #expect(stored(sdimage_animated_view_unref) { sdimage_target_get_view(target.pointer, nil, $0) }?.pointer == view.pointer)
        #expect(stored(sdimage_animated_view_unref) { sdimage_target_get_view(target.pointer, "a", $0) } == nil)
    }

    @Test func theClockOfAView() throws {
        let view = try make(sdimage_animated_view_unref) { sdimage_animated_view_new(nil, nil, nil, $0, $1) }
        var clock = sdimage_player_clock.SDIMAGE_PLAYER_CLOCK_LIBRARY
        func dispatcher() -> Owned? {
            stored(sdimage_dispatcher_unref) { sdimage_animated_view_get_clock(view.pointer, &clock, $0) }
        }
        #expect(dispatcher() == nil && clock == .SDIMAGE_PLAYER_CLOCK_HOST)
        #expect(
            sdimage_animated_view_set_clock(view.pointer, .SDIMAGE_PLAYER_CLOCK_DESCRIPTOR, nil, nil) == .SDIMAGE_STATUS_OK)
        #expect(dispatcher() == nil && clock == .SDIMAGE_PLAYER_CLOCK_DESCRIPTOR)
        let queue = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) }
        #expect(
            sdimage_animated_view_set_clock(view.pointer, .SDIMAGE_PLAYER_CLOCK_LIBRARY, queue.pointer, nil)
                == .SDIMAGE_STATUS_OK)
        let own = try #require(dispatcher())
        #expect(sdimage_dispatcher_descriptor(own.pointer) == sdimage_dispatcher_descriptor(queue.pointer))
        #expect(clock == .SDIMAGE_PLAYER_CLOCK_LIBRARY)
        #expect(sdimage_animated_view_set_clock(view.pointer, .SDIMAGE_PLAYER_CLOCK_HOST, nil, nil) == .SDIMAGE_STATUS_OK)
        sdimage_animated_view_get_clock(nil, &clock, nil)
        #expect(clock == .SDIMAGE_PLAYER_CLOCK_HOST)
    }

    @Test func theScalesOfResources() throws {
        let folder = TemporaryDirectory()
        let resources = try make(sdimage_resources_unref) { sdimage_resources_new(folder.path, nil, $0, $1) }
        var scales = [Double](repeating: 0, count: 4)
        #expect(sdimage_resources_get_scales(resources.pointer, &scales, 4) == 3)
        #expect(scales == [1, 2, 3, 0])
        #expect(sdimage_resources_set_scales(resources.pointer, [2, 1], 2, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_resources_get_scales(resources.pointer, &scales, 1) == 2)
        #expect(scales == [2, 2, 3, 0], "no more than the capacity")
        #expect(sdimage_resources_get_scales(resources.pointer, nil, 0) == 2)
    }

    @Test func headerFieldsOfAResponseByIndex() {
        let response = Owned(sdimage_response_new(200)) { sdimage_response_unref($0) }
        for (name, value) in [("A", "1"), ("B", "2"), ("A", "3")] { sdimage_response_add_header(response.pointer, name, value) }
        var value: UnsafePointer<CChar>?
        let name = sdimage_response_header_at(response.pointer, 2, &value)
        #expect(text(name) == "A" && text(value) == "3")
        let first = sdimage_response_header(response.pointer, "a")
        #expect(sdimage_response_header(response.pointer, "A") == first && text(first) == "1")
        #expect(sdimage_response_header_at(response.pointer, 3, &value) == nil && value == nil)
    }

    @Test func aSink() throws {
        let loader = ScriptedLoader { _, sink in
            #expect(sdimage_load_sink_expected_length(sink) == 0 && sdimage_load_sink_is_storable(sink))
            sdimage_load_sink_set_expected_length(sink, 9)
            sdimage_load_sink_set_storable(sink, false)
            #expect(sdimage_load_sink_expected_length(sink) == 9 && !sdimage_load_sink_is_storable(sink))
            sdimage_load_sink_finish(sink, nil)
            return .SDIMAGE_STATUS_OK
        }
        let manager = try makeManager(cache: nil, loader: try loader.makeLoader())
        let listener = Listener()
        _ = try listener.load(manager, makeRequest("test://a"))
        #expect(listener.final() != nil)
    }
}
