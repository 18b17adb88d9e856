--- Pictures from URLs and bytes to pixels, by libsdimage, for LuaJIT.
--
--   local sdimage = require("sdimage")
--   local manager = assert(sdimage.manager())
--   local result, failure = manager:load(url, { thumbnail = { 256, 256 } })
--
-- No call of the library enters Lua: everything comes through a descriptor and poll, on the thread that calls it. Functions
-- that can fail return nil and an error: a table with code ("NOT_FOUND", …), message, http_status, url and transient. What is
-- wrong with the arguments is raised.

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

--- What a bug report starts with, as JSON.
function sdimage.doctor() return base.take(base.make("sdimage_data", lib.sdimage_doctor)) end

--- The numbers of the process in the text format of Prometheus.
function sdimage.metrics() return base.take(base.make("sdimage_data", lib.sdimage_metrics)) end

--- What a header says, as JSON; nil and an error when there is none.
function sdimage.info(bytes) return base.take(base.make("sdimage_data", lib.sdimage_info, bytes, #bytes)) end

--- The format by its signature, or nil.
function sdimage.sniff(bytes)
  local format = lib.sdimage_sniff(bytes, #bytes)
  return format >= 0 and ffi.string(lib.sdimage_format_name(format)) or nil
end

--- Objects of the library that this program holds: for tests of leaks.
function sdimage.live_handles() return base.live end

return sdimage
