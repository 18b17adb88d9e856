local ffi = require("ffi")
local harness = require("harness")
local sdimage = require("sdimage")

local test, expect, fresh, bytes, code = harness.test, harness.expect, harness.fresh, harness.bytes, harness.code

test("bytes are decoded, described and recognized", function()
  local image = assert(sdimage.decode(bytes("balloons.jpg"), { thumbnail = { 100, 100 }, pixel_format = "rgba8" }))
  expect(image.pixel_format, "rgba8")
  expect(math.max(image.width, image.height), 100)
  expect(tonumber(sdimage.info(bytes("balloons.jpg")):match('"width": ?(%d+)')), image.source_width)
  expect(sdimage.sniff(bytes("leaf.webp")), "webp")
  expect(sdimage.sniff("<html>"), nil)
  expect(code(sdimage.decode("<html>")), "NOT_AN_IMAGE")
  expect(code(sdimage.decode(bytes("balloons.jpg"):sub(1, 5000))), "TRUNCATED")
  expect(code(sdimage.info("")), "EMPTY_DATA")
  expect(pcall(sdimage.decode, "", { thumbnails = 1 }), false)
end)

test("a thumbnail fits its box by its mode", function()
  for mode, size in pairs({ aspect_fit = "100x63", fill = "100x100", aspect_fill = "160x100" }) do
    local image = assert(sdimage.decode(bytes("aurora.jpg"), { thumbnail = { 100, 100 }, thumbnail_mode = mode }))
    expect(image.width .. "x" .. image.height, size)
  end
  expect(pcall(sdimage.decode, "", { thumbnail = { 100, 100 }, thumbnail_mode = "stretch" }), false)
end)

test("an image is decoded upright, in sRGB and in a number of bytes", function()
  local turned = bytes("lighthouse.jpg")
  local upright, stored = assert(sdimage.decode(turned)), assert(sdimage.decode(turned, { apply_orientation = false }))
  expect(upright.width .. "x" .. upright.height, stored.height .. "x" .. stored.width)
  local profiled = bytes("liquid-colour.jpg")
  local function row(option) return assert(sdimage.decode(profiled, { convert_to_srgb = option })):row(0) end
  expect(row(true) == row(nil), true)
  expect(row(false) == row(nil), false)
  local small = assert(sdimage.decode(turned, { limit_bytes = 100000 }))
  expect(small.stride * small.height <= 100000 and small.width < upright.width, true)
end)

test("what exceeds a safety limit is refused", function()
  local manager, file = assert(sdimage.manager({ cache = false })), bytes("balloons.jpg")
  for _, name in ipairs({ "max_pixels", "max_bytes" }) do
    expect(code(sdimage.decode(file, { [name] = 1000 })), "TOO_LARGE")
    expect(code(manager:load(fresh("balloons.jpg"), { [name] = 1000 })), "TOO_LARGE")
    for _, limit in ipairs({ 0, 1e7, 2 ^ 53 }) do assert(sdimage.decode(file, { [name] = limit })) end
  end
  expect(code(manager:load(fresh("balloons.jpg"), { max_body_bytes = #file - 1 })), "TOO_LARGE")
  assert(manager:load(fresh("balloons.jpg"), { max_body_bytes = #file }))
  expect(code(sdimage.decode(bytes("ink-garden.jpg"), { max_work_ms = 1 })), "TIMEOUT")
  assert(sdimage.decode(bytes("ink-garden.jpg"), { max_work_ms = 600000 }))
  manager:close()
end)

test("a transient failure is retried as often as the load allows", function()
  local manager = assert(sdimage.manager({ cache = false }))
  -- The origin counts the requests of this path, which no other test loads.
  expect(code(manager:load(fresh("ripples.png", "status=503&first=1"), { max_retries = 0 })), "HTTP_STATUS")
  assert(manager:load(fresh("ripples.png", "status=503&first=2"), { max_retries = 1 }))
  manager:close()
end)

--- A JPEG with a gain map (ISO 21496-1, annex C): the file is also its map, and both have the fields in their first
-- segment: fractions of 16.
local function with_gain_map(file)
  local segment = "\255\226\0\67urn:iso:std:iso:ts:21496:-1\0\0\0\0\0\8"
  for _, number in ipairs({ 16, 0, 32, 0, 48, 24, 1, 2 }) do segment = segment .. "\0\0\0" .. string.char(number) end
  return (file:sub(1, 2) .. segment .. file:sub(3)):rep(2)
end

test("a rendition has the headroom asked for", function()
  local file = with_gain_map(bytes("balloons.jpg"))
  local function rendition(range, stops)
    local options = { thumbnail = { 100, 100 }, dynamic_range = range, display_headroom = stops }
    local image = assert(sdimage.decode(file, options))
    return image.pixel_format .. " " .. image.headroom .. " " .. image.content_headroom
  end
  expect(rendition(), "rgb8 0 0")
  expect(rendition("automatic"), "rgb8 0 0")
  expect(rendition("automatic", 1.5), "rgba_float 1.5 2")
  expect(rendition("hdr"), "rgba_float 2 2")
  expect(pcall(rendition, "bright"), false)
end)

test("a gain map is kept, applied and written", function()
  local kept = assert(sdimage.decode(with_gain_map(bytes("balloons.jpg")), { keep_gain_map = true }))
  expect(kept.pixel_format .. " " .. kept.content_headroom, "rgb8 2")
  expect(assert(kept:apply_gain_map(0)).headroom, 0)
  expect(assert(kept:apply_gain_map(1.5)).headroom, 1.5)
  expect(assert(kept:apply_gain_map()).headroom, 2)
  for _, embed in ipairs({ true, false }) do
    local file = assert(kept:encode("jpeg", { embed_gain_map = embed }))
    local written = assert(sdimage.decode(file, { dynamic_range = "hdr" }))
    expect(written.headroom == 2, embed)
    expect(code(written:apply_gain_map(1)), "UNSUPPORTED")
  end
end)

test("numbers that do not fit and text with a NUL are refused", function()
  local image = assert(sdimage.from_pixels(1, 1, "rgba8", "abcd"))
  local manager = assert(sdimage.manager({ cache = false }))
  for _, number in ipairs({ -1, 0.5, 4294967296, 4294967297, 1e300, 1 / 0, 0 / 0, "2" }) do
    local function refused(what, call, ...)
      local fine, problem = pcall(call, ...)
      if fine or not tostring(problem):find("expected an integer", 1, true) then error(what .. " of " .. tostring(number) .. ": " .. tostring(problem), 2) end
    end
    refused("thumbnail", sdimage.decode, "", { thumbnail = { number, 1 } })
    refused("max_pixel_size", image.encode, image, "png", { max_pixel_size = { 1, number } })
    refused("frame", image.frame, image, number)
    refused("row", image.row, image, number)
    refused("width", sdimage.from_pixels, number, 1, "rgba8", "abcd")
    refused("height", sdimage.from_pixels, 1, number, "rgba8", "abcd")
    refused("timeout_ms", manager.start, manager, "data:,", { timeout_ms = number })
    refused("progressive_interval_ms", manager.start, manager, "data:,", { progressive_interval_ms = number })
    if number ~= 4294967296 and number ~= 4294967297 then
      refused("max_pixels", sdimage.decode, "", { max_pixels = number })
      refused("max_bytes", sdimage.decode, "", { max_bytes = number })
      refused("max_body_bytes", manager.start, manager, "data:,", { max_body_bytes = number })
      refused("max_memory_cost", sdimage.cache, { memory_only = true, max_memory_cost = number })
      refused("max_disk_size", sdimage.cache, { memory_only = true, max_disk_size = number })
    end
  end
  expect(code(sdimage.from_pixels(0, 0, "rgba8", "")), "INVALID_ARGUMENT")
  expect(pcall(sdimage.cache, { namespace = "a\0b" }), false)
  expect(pcall(sdimage.cache, { directory = "a\0b" }), false)
  expect(pcall(manager.start, manager, "data:,", { headers = { ["a\0b"] = "c" } }), false)
  expect(pcall(manager.start, manager, "data:,", { headers = { a = "b\0c" } }), false)
end)

test("pixels are the library's own memory; rows are strings", function()
  local image = assert(sdimage.from_pixels(3, 2, "rgb8", "abcdefghijklmnopqr"))
  expect(image:row(1), "jklmnopqr")
  expect(image:pixels()[image.stride + 3], ("m"):byte())
  expect(ffi.istype("const uint8_t *", image:pixels()), true)
  image:close()
  image:close()
  expect(pcall(image.pixels, image), false)
  expect(code(sdimage.from_pixels(3, 2, "rgb8", "abc")), "INVALID_ARGUMENT")
end)

test("what is encoded without loss is what it was", function()
  local image = assert(sdimage.decode(bytes("truchet.png"), { pixel_format = "rgb8" }))
  local again = assert(sdimage.decode(assert(image:encode("webp", { lossless = true })), { pixel_format = "rgb8" }))
  for y = 0, image.height - 1 do expect(again:row(y) == image:row(y), true) end
  expect(sdimage.decode(image:encode("jpeg", { quality = 0.5, max_pixel_size = { 32, 32 } })).width, 32)
  expect(code(image:encode("jpeg", { quality = 7 })), "INVALID_ARGUMENT")
  expect(assert(image:convert("gray8")).pixel_format, "gray8")
end)

test("an animation gives its frames", function()
  local image = assert(sdimage.decode(bytes("orbits.gif")))
  expect(image.frame_count, 16)
  expect(image.duration_ms, 1280)
  expect(assert(image:frame(15)).width, image.width)
  expect(code(image:frame(16)), "INVALID_ARGUMENT")
end)

test("a picture comes from the network, then from memory, then from the disk", function()
  local directory, url = harness.new_folder(), fresh("balloons.jpg")
  for _, wanted in ipairs({ "network", "disk" }) do
    local cache = assert(sdimage.cache({ directory = directory }))
    local manager = assert(sdimage.manager({ cache = cache }))
    local result = assert(manager:load(url, { wait_for_store = true }))
    expect(result.source, wanted)
    expect(result.data == bytes("balloons.jpg"), true)
    expect(assert(manager:load(url)).source, "memory")
    manager:close()
    assert(cache:close())
  end
end)

test("a thumbnail has the size asked for", function()
  local manager = assert(sdimage.manager({ cache = false }))
  local image = assert(manager:load(fresh("aurora.jpg"), { thumbnail = { 200, 200 } })).image
  expect(image.width .. " " .. image.height .. " " .. image.source_width, "200 125 1000")
  manager:close()
end)

test("the cache policy of a load counts", function()
  local manager = assert(sdimage.manager({ cache = assert(sdimage.cache({ memory_only = true })) }))
  local url = fresh("badge.png")
  local function cached() return assert(manager:load(url, { source_policy = "cache_only" })) end
  assert(manager:load(url, { cache_policy = "none" }))
  expect(cached().image, nil)
  local reloaded = { cache_policy = { "skip_memory_read", "skip_disk_read" } }
  assert(manager:load(url, reloaded))
  expect(assert(manager:load(url, reloaded)).source, "network")
  expect(cached().source, "memory")
  expect(pcall(manager.start, manager, url, { cache_policy = { "none", "nothing" } }), false)
  manager:close()
end)

test("a load without on_progress has one event", function()
  local manager, events = assert(sdimage.manager({ cache = false })), 0
  local task = assert(manager:start(fresh("aurora.jpg", "kbps=100")))
  while not task.is_done do events = events + manager:poll(-1) end
  expect(task.result.image.width .. " " .. events, "1000 1")
  manager:close()
end)

test("progress and parts come, and a part may cancel", function()
  local manager, told, before = assert(sdimage.manager({ cache = false })), {}, 0
  local task
  -- The second half never comes.
  task = assert(manager:start(fresh("aurora.jpg", "gate=1"), {
    progressive_interval_ms = 1,
    on_progress = function(received, expected)
      expect(received >= before and (received == 0 or expected == 31919), true)
      before = received
      told.progress = true
    end,
    on_partial = function(result)
      told.kind, told.width = result.kind, result.image.width
      task:cancel()
    end,
    on_result = function(_, failure) told.code = failure.code end,
  }))
  expect(task.is_done, nil)
  while not task.is_done do manager:poll(-1) end
  expect(told.progress, true)
  expect(told.kind .. told.width .. told.code, "partial1000CANCELLED")
  manager:close()
end)

test("coroutines load side by side", function()
  local manager, order = assert(sdimage.manager({ cache = false })), {}
  local hanging = assert(manager:start(fresh("badge.png", "fault=hang")))
  sdimage.run(function()
    local ended = code(hanging:wait())
    order[#order + 1] = ended
  end, function()
    for _ = 1, 3 do
      local result = assert(manager:load(fresh("badge.png")))
      order[#order + 1] = result.source
    end
    hanging:cancel()
  end)
  expect(table.concat(order, ", "), "network, network, network, CANCELLED")
  expect(sdimage.pending(), 0)
  manager:close()
end)

test("a descriptor is readable when something has come", function()
  local manager = assert(sdimage.manager({ cache = false }))
  local task = assert(manager:start(fresh("badge.png")))
  local entry = ffi.new("struct sdimage_lua_pollfd", { sdimage.fileno(), 1, 0 })
  while not task.is_done do
    expect(ffi.C.sdimage_lua_poll(entry, 1, 120000), 1)
    sdimage.poll()
  end
  expect(sdimage.poll(0), 0)
  manager:close()
end)

test("cancelling ends a load with CANCELLED", function()
  local manager = assert(sdimage.manager({ cache = false }))
  local task = assert(manager:start(fresh("badge.png", "fault=hang")))
  task:cancel()
  expect(code(task:wait()), "CANCELLED")
  task:cancel()
  expect(manager:running_count(), 0)
  manager:close()
end)

test("the priority of a load changes", function()
  local manager = assert(sdimage.manager({ cache = false }))
  local task = assert(manager:start(fresh("badge.png", "fault=hang"), { priority = "low" }))
  expect(task:priority(), "low")
  task:set_priority("high")
  expect(task:priority(), "high")
  expect(pcall(task.set_priority, task, "urgent"), false)
  expect(pcall(task.set_priority, task), false)
  task:cancel()
  expect(code(task:wait()), "CANCELLED")
  expect(task:priority(), "high")
  manager:close()
end)

test("flushing completes what is still being encoded", function()
  local cache = assert(sdimage.cache({ directory = harness.new_folder() }))
  local manager, keys = assert(sdimage.manager({ cache = cache })), {}
  for index, name in ipairs({ "badge.png", "aurora.jpg", "leaf.webp" }) do
    local result = assert(manager:load(fresh(name), { thumbnail = { 64, 64 } }))
    keys[index] = result.cache_key
  end
  expect(manager:flush(120000), true)
  assert(cache:clear("memory"))
  for _, key in ipairs(keys) do expect(cache:contains(key), "disk") end
  expect(pcall(manager.flush, manager, -1), false)
  expect(manager:flush(), true)
  assert(cache:close())
  expect(code(manager:flush()), "SHUTDOWN")
  manager:close()
  expect(pcall(manager.flush, manager), false)
end)

--- Encodes four thumbnails while a manager is closed. Returns the number of those on disk, and whether closing took less than
-- the two seconds after which it leaves encodes unfinished, as on a busy machine.
local function encoded_while_closing()
  local cache = assert(sdimage.cache({ directory = harness.new_folder() }))
  local manager, tasks, count = assert(sdimage.manager({ cache = cache })), {}, 0
  for index = 1, 4 do tasks[index] = assert(manager:start(fresh("aurora.jpg"), { thumbnail = { 850, 550 } })) end
  for _, task in ipairs(tasks) do assert(task:wait()) end
  local started = os.time()
  manager:close()
  local is_complete = os.time() - started < 2
  assert(cache:flush())
  assert(cache:clear("memory"))
  for _, task in ipairs(tasks) do
    if cache:contains(task.result.cache_key) == "disk" then count = count + 1 end
  end
  cache:close()
  return count, is_complete
end

test("closing completes what is still being encoded", function()
  local count, is_complete = encoded_while_closing()
  for _ = 2, 10 do
    if not is_complete then count, is_complete = encoded_while_closing() end
  end
  expect(count, 4)
end)

test("closing keeps the failure of a store for the next flush", function()
  local cache = assert(sdimage.cache({ directory = "/proc/none" }))
  local manager = assert(sdimage.manager({ cache = cache }))
  assert(manager:load(fresh("badge.png")))
  manager:close()
  expect(code(cache:flush()) ~= "no error", true)
  expect(code(cache:flush()), "no error")
  cache:close()
end)

test("a failed URL is refused for the time of the manager, or until it is forgotten", function()
  local url = fresh("none.png")
  for seconds, wanted in pairs({ [-1] = "FAILED_URL", [0] = "HTTP_STATUS", [300] = "FAILED_URL" }) do
    local manager = assert(sdimage.manager({ cache = false, failed_url_retry_after = seconds }))
    for _, forget in ipairs({ { url }, {} }) do
      expect(code(manager:load(url)), "HTTP_STATUS")
      expect(code(manager:load(url)), wanted)
      manager:forget_failed(unpack(forget))
    end
    expect(code(manager:load(url)), "HTTP_STATUS")
    manager:close()
    expect(pcall(manager.forget_failed, manager), false)
  end
  for _, bad in ipairs({ 0.5, 1 / 0, 0 / 0, "1" }) do
    expect(pcall(sdimage.manager, { cache = false, failed_url_retry_after = bad }), false)
    expect(pcall(sdimage.cache, { memory_only = true, max_disk_age = bad }), false)
  end
  for _, age in ipairs({ -1, 60 }) do assert(sdimage.cache({ memory_only = true, max_disk_age = age })):close() end
end)

test("a signature is ignored in the keys of a manager that is told so", function()
  local cache, url = assert(sdimage.cache({ memory_only = true })), fresh("badge.png")
  for is_ignored, wanted in pairs({ [true] = "memory", [false] = "network" }) do
    local manager = assert(sdimage.manager({ cache = cache, ignore_signatures = is_ignored }))
    assert(manager:load(url .. "Signature=a" .. tostring(is_ignored)))
    expect(assert(manager:load(url .. "Signature=b")).source, wanted)
    manager:close()
    assert(cache:clear())
  end
  cache:close()
end)

test("a header field is set, or omitted", function()
  local manager, length = assert(sdimage.manager({ cache = false })), #bytes("truchet.png")
  -- The origin compresses for clients that accept it. The length is known without compression only, and reported unless a
  -- load ends too soon.
  local function is_compressed(headers)
    local known
    local options = { headers = headers, on_progress = function(_, expected) known = known or expected end }
    for _ = 1, 50 do
      assert(manager:load(fresh("truchet.png", "gzip=1"), options))
      if known then return known ~= length end
    end
    return true
  end
  expect(is_compressed(), true)
  expect(is_compressed({ ["Accept-Encoding"] = "identity" }), false)
  expect(is_compressed({ ["Accept-Encoding"] = false }), false)
  expect(pcall(is_compressed, { Accept = true }), false)
  manager:close()
end)

test("several coroutines may wait for one load, and start others when it ends", function()
  local manager, told = assert(sdimage.manager({ cache = false })), {}
  local task = assert(manager:start(fresh("badge.png", "fault=hang")))
  local function wait()
    local ended = code(task:wait())
    told[#told + 1] = ended
    local result = assert(manager:load(fresh("leaf.webp")))
    told[#told + 1] = result.source
  end
  sdimage.run(wait, wait, function()
    assert(manager:load(fresh("badge.png")))
    manager:cancel_all()
  end)
  expect(table.concat(told, ", "), "CANCELLED, CANCELLED, network, network")
  manager:close()
end)

test("errors have codes, HTTP status and URL", function()
  local manager, url = assert(sdimage.manager({ cache = false })), fresh("none.png")
  local result, failure = manager:load(url)
  expect(result, nil)
  expect(failure.code .. failure.http_status .. failure.url, "HTTP_STATUS404" .. url)
  expect(code(manager:load(fresh("badge.png", "fault=html"))), "NOT_AN_IMAGE")
  expect(code(manager:load("")), "INVALID_URL")
  expect(pcall(manager.load, manager, url, { thumbnailsize = 3 }), false)
  expect(tostring(failure):match("^sdimage: HTTP_STATUS: ") ~= nil, true)
  manager:set_offline(true)
  expect(code(manager:load(url)), "OFFLINE")
  manager:close()
  manager:close()
  expect(pcall(manager.load, manager, url), false)
end)

test("a cache keeps pictures and bytes of its own", function()
  local cache, file = assert(sdimage.cache({ directory = harness.new_folder() })), bytes("badge.png")
  local image = assert(sdimage.decode(file))
  assert(cache:store("k", image, file))
  expect(cache:contains("k"), "all")
  expect(cache:memory_image("k").width, image.width)
  assert(cache:clear("memory"))
  expect(cache:memory_image("k"), nil)
  expect(cache:contains("k"), "disk")
  expect(assert(cache:image("k", { thumbnail = { 10, 10 } })).width, 10)
  expect(assert(cache:data("k")) == file, true)
  assert(cache:remove("k"))
  expect(select("#", cache:data("k")) <= 1 and cache:data("k"), nil)
  assert(cache:flush())
  assert(cache:close())
  expect(pcall(cache.data, cache, "k"), false)
end)

test("what was closed raises SHUTDOWN", function()
  local cache = assert(sdimage.cache({ memory_only = true }))
  local manager = assert(sdimage.manager({ cache = cache }))
  manager:close()
  assert(cache:close())
  local function raised(call, ...)
    local fine, problem = pcall(call, ...)
    return not fine and problem.code
  end
  for _, name in ipairs({ "memory_image", "image", "data", "store", "contains", "remove", "clear", "flush" }) do
    expect(raised(cache[name], cache, "k"), "SHUTDOWN")
  end
  expect(raised(sdimage.manager, { cache = cache }), "SHUTDOWN")
  for _, name in ipairs({ "start", "load", "flush", "running_count" }) do
    expect(raised(manager[name], manager, "data:,"), "SHUTDOWN")
  end
end)

require("loaders")
require("life")

os.exit(harness.failures == 0 and 0 or 1, true)
