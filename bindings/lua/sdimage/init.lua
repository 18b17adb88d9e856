--- Images from URLs and bytes to pixels, by libsdimage, for LuaJIT.
--
--   local sdimage = require("sdimage")
--   local manager = assert(sdimage.manager())
--   local result, failure = manager:load(url, { thumbnail = { 256, 256 } })
--
-- No call of the library enters Lua: all results arrive through a descriptor and poll, on the thread that calls it.
-- Functions that can fail return nil and an error: a table with code ("NOT_FOUND", …), message, http_status, url and
-- transient. Invalid arguments raise an error, and calls of a closed cache or manager that with the code SHUTDOWN.

local ffi = require("ffi")
local base = require("sdimage.base")
local image = require("sdimage.image")
local cache = require("sdimage.cache")
local manager = require("sdimage.manager")
local lib = base.lib

local sdimage = {
  error = base.error,
  decode = image.decode,
  from_pixels = image.from_pixels,
  cache = cache.open,
  manager = manager.new,
  poll = manager.poll,
  fileno = manager.fileno,
  pending = manager.pending,
  run = manager.run,
}

--- The version of the library, "1.2.3".
function sdimage.version() return ffi.string(lib.sdimage_version()) end

--- The diagnostics for a bug report, as JSON.
function sdimage.doctor()
  local diagnosis, failure = base.make("sdimage_diagnosis", lib.sdimage_diagnosis_new)
  if not diagnosis then return nil, failure end
  ffi.gc(diagnosis, lib.sdimage_diagnosis_unref)
  return base.take(base.make("sdimage_data", lib.sdimage_diagnosis_to_json, diagnosis))
end

--- The metrics of the process in the Prometheus text format.
function sdimage.metrics() return base.take(base.make("sdimage_data", lib.sdimage_metrics)) end

--- The properties in a header, as JSON; nil and an error when there is none.
function sdimage.info(bytes)
  local info, failure = base.make("sdimage_info", lib.sdimage_info_new, bytes, #bytes, nil)
  if not info then return nil, failure end
  ffi.gc(info, lib.sdimage_info_unref)
  return base.take(base.make("sdimage_data", lib.sdimage_info_to_json, info))
end

--- Detects the format by its signature; nil when none matches.
function sdimage.sniff(bytes)
  local format = lib.sdimage_sniff(bytes, #bytes)
  return format ~= 0 and ffi.string(lib.sdimage_format_name(format)) or nil
end

--- The number of library objects that this program holds, for leak tests.
function sdimage.live_handles() return base.live end

return sdimage
