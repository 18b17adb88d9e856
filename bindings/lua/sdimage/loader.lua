--- Loaders from Lua functions. The library calls loaders on its own threads, which must not enter Lua. So the functions
-- run here, when the caches have nothing, and their results go into the library as a data: URL under the key of the
-- original URL (docs/decisions.md, "Loaders of Lua pass data: URLs").

local bit = require("bit")
local ffi = require("ffi")
local base = require("sdimage.base")
local constants = require("sdimage.constants")
local lib = base.lib

local loader = {}

local function scheme_of(url) return (url:match("^(%a[%w+.-]*):") or ""):lower() end

--- The function for a URL.
function loader.of(loaders, url) return loaders[scheme_of(url)] or loaders["*"] end

local ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

--- RFC 4648, section 4.
local function base64(bytes)
  local groups = math.ceil(#bytes / 3)
  local out, from = ffi.new("uint8_t[?]", groups * 4), ffi.cast("const uint8_t *", bytes)
  for group = 0, groups - 1 do
    local at, left = group * 3, #bytes - group * 3
    local word = from[at] * 65536 + (left > 1 and from[at + 1] * 256 or 0) + (left > 2 and from[at + 2] or 0)
    for letter = 3, 0, -1 do
      out[group * 4 + letter] = left < letter and 61 or ALPHABET:byte(word % 64 + 1)
      word = math.floor(word / 64)
    end
  end
  return ffi.string(out, groups * 4)
end

--- True if the cache policy lets the disk hold the bytes. The bit for originals counts for thumbnails and other pixel
-- formats, as in the library.
local function is_for_disk(options)
  local bits, box = constants.CACHE_POLICIES, options.thumbnail
  local is_derived = box and box[1] > 0 and box[2] > 0 or (options.pixel_format or "automatic") ~= "automatic"
  local policy = base.bits(bits, options.cache_policy or "default", "cache policy")
  return bit.band(policy, is_derived and bits.skip_original_write or bits.skip_disk_write) == 0
end

--- The key of the original, by the rules of the manager (ignore_signatures); nil and an error for an invalid URL.
local function key_of(task)
  if task.options.cache_key then return task.options.cache_key end
  local request = ffi.gc(lib.sdimage_request_new_bytes(task.url, #task.url), lib.sdimage_request_unref)
  return base.take(base.make("sdimage_data", lib.sdimage_manager_get_cache_key, task.manager:get(), request))
end

local function keep_on_disk(task, key, bytes)
  local out = ffi.new("sdimage_cache *[1]")
  lib.sdimage_manager_get_cache(task.manager:get(), out)
  if out[0] == nil then return end
  local cache = ffi.gc(out[0], lib.sdimage_cache_unref)
  local data = is_for_disk(task.options) and base.make("sdimage_data", lib.sdimage_data_new, bytes, #bytes)
  if not data then return end
  -- The outcome is not reported: a failed store never fails a load.
  if task.options.wait_for_store then
    lib.sdimage_cache_store(cache, key, #key, nil, data, constants.LAYERS.disk, nil, nil)
  else
    lib.sdimage_cache_store_data_async(cache, key, #key, data, nil, nil, nil, nil)
  end
  lib.sdimage_data_unref(data)
end

--- Ends the fetch of a task with the result of its function.
local function fetched(task, begin, fine, bytes, failure)
  if task.is_done then return end
  if task.is_cancelled then return task:finish(nil, base.error("CANCELLED", "task: cancelled")) end
  if not fine then return task:finish(nil, base.error("INTERNAL_ERROR", tostring(bytes))) end
  if type(bytes) ~= "string" then
    local is_error = type(failure) == "table" and failure.code
    return task:finish(nil, is_error and failure or base.error("INTERNAL_ERROR", tostring(failure or "loader: no data returned")))
  end
  task.fetch = nil
  -- Nothing else would end the task, so every error is caught.
  local begun, made, refused = pcall(function()
    local key, problem = key_of(task)
    if not key then return nil, problem end
    keep_on_disk(task, key, bytes)
    return begin(task, "data:;base64," .. base64(bytes), { cache_key = key, source_policy = "loader_only" })
  end)
  if not begun then refused = base.error("INTERNAL_ERROR", tostring(made)) end
  if refused then task:finish(nil, refused) end
end

--- The error of a task that may not use the network; nil if it may.
local function refusal(task)
  local scheme = scheme_of(task.url)
  if (scheme ~= "http" and scheme ~= "https") or not lib.sdimage_manager_is_offline(task.manager:get()) then return nil end
  local failure = base.error("OFFLINE", "request: network access is switched off")
  failure.url, failure.transient = task.url, true
  return failure
end

--- Calls the function of a task in a coroutine, so that it may load and wait.
function loader.start(task, begin)
  local failure = refusal(task)
  if failure then
    task:finish(nil, failure)
    return task
  end
  local function work()
    local request = { url = task.url, is_cancelled = function() return task.is_cancelled or task.is_done or false end }
    local fine, bytes, failure = pcall(task.fetch, request)
    fetched(task, begin, fine, bytes, failure)
  end
  local routine = coroutine.create(work)
  local fine, problem = coroutine.resume(routine)
  if not fine then error(debug.traceback(routine, tostring(problem)), 0) end
  return task
end

--- A task whose function is still working ends at once; the result of the function is dropped.
function loader.cancel(task)
  if not task.pointer and not task.is_done then task:finish(nil, base.error("CANCELLED", "task: cancelled")) end
end

--- The same when the manager closes.
function loader.drop(task)
  if not task.is_done then task:finish(nil, base.error("SHUTDOWN", "manager: closed")) end
end

return loader
