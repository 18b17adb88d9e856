--- Memory and disk caches. Functions that may touch the disk block.

local ffi = require("ffi")
local base = require("sdimage.base")
local constants = require("sdimage.constants")
local image = require("sdimage.image")
local lib = base.lib

local cache = {}
local Cache = {}
Cache.__index = Cache

local function text(setter) return function(config, name, value) setter(config, base.text(value, name)) end end
local function count(setter) return function(config, name, value) setter(config, base.count(value, name, base.MOST)) end end

local SETTERS = {
  directory = text(lib.sdimage_cache_config_set_directory),
  namespace = text(lib.sdimage_cache_config_set_namespace),
  memory_only = function(config, _, value) lib.sdimage_cache_config_set_memory_only(config, value) end,
  max_memory_cost = count(lib.sdimage_cache_config_set_max_memory_cost),
  max_memory_count = count(lib.sdimage_cache_config_set_max_memory_count),
  max_disk_size = count(lib.sdimage_cache_config_set_max_disk_size),
  max_disk_age = function(config, name, value) lib.sdimage_cache_config_set_max_disk_age(config, base.seconds(value, name)) end,
}

--- Opens a cache. Options: directory, namespace, memory_only, max_memory_cost (bytes), max_memory_count, max_disk_size
-- (bytes), max_disk_age (seconds since the last access; negative: no limit).
function cache.open(options)
  options = base.check(options, SETTERS)
  local config = ffi.gc(lib.sdimage_cache_config_new(), lib.sdimage_cache_config_unref)
  for name, value in pairs(options) do SETTERS[name](config, name, value) end
  local pointer, failure = base.make("sdimage_cache", lib.sdimage_cache_new, config)
  if not pointer then return nil, failure end
  return setmetatable({ pointer = base.own(pointer, lib.sdimage_cache_unref) }, Cache)
end

--- The pointer, for internal use.
function Cache:get() return self.pointer or error(base.error("SHUTDOWN", "cache: closed")) end

local function or_nil(value, failure)
  if value == nil and failure and failure.code == "NOT_FOUND" then return nil end
  return value, failure
end

--- The image in memory, or nil.
function Cache:memory_image(key)
  local found = ffi.new("sdimage_image *[1]")
  lib.sdimage_cache_get_memory_image(self:get(), key, #key, found)
  return image.wrap(found[0])
end

--- The image, from memory or decoded from disk; nil when there is none. Takes the options of decode.
function Cache:image(key, options)
  local decode = base.decode_options(base.check(options, base.DECODE))
  return or_nil(image.wrap(base.make("sdimage_image", lib.sdimage_cache_get_image, self:get(), key, #key, decode)))
end

--- The bytes of an entry; nil when there is none.
function Cache:data(key) return or_nil(base.take(base.make("sdimage_data", lib.sdimage_cache_get_data, self:get(), key, #key))) end

--- Stores an image, bytes, or both (the other is nil); returns when they are committed.
function Cache:store(key, picture, bytes, layers)
  -- Everything that may raise comes before anything that has to be released.
  local pointer, shown, number = self:get(), picture and picture:get(), base.number(constants.LAYERS, layers or "all", "layer")
  local data = bytes and assert(base.make("sdimage_data", lib.sdimage_data_new, bytes, #bytes))
  local stored, failure = base.done(lib.sdimage_cache_store, pointer, key, #key, shown, data, number, nil)
  lib.sdimage_data_unref(data)
  return stored, failure
end

--- "none", "disk", "memory" or "all".
function Cache:contains(key) return base.word(constants.LAYERS, lib.sdimage_cache_contains(self:get(), key, #key)) end

function Cache:remove(key, layers)
  return base.done(lib.sdimage_cache_remove, self:get(), key, #key, base.number(constants.LAYERS, layers or "all", "layer"))
end

function Cache:clear(layers)
  return base.done(lib.sdimage_cache_clear, self:get(), base.number(constants.LAYERS, layers or "all", "layer"))
end

--- Returns when all earlier stores are committed.
function Cache:flush() return base.done(lib.sdimage_cache_flush, self:get()) end

--- Commits pending stores and closes the disk part. Repeated calls are harmless; other calls then raise SHUTDOWN.
function Cache:close()
  if not self.pointer then return true end
  local closed, failure = base.done(lib.sdimage_cache_close, self.pointer)
  base.release(self.pointer, lib.sdimage_cache_unref)
  self.pointer = nil
  return closed, failure
end

return cache
