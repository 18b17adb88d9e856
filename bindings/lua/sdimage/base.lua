--- Shared parts of the package: objects, bytes, errors, names and options.

local bit = require("bit")
local ffi = require("ffi")
local constants = require("sdimage.constants")
local lib = require("sdimage.library")

local base = { lib = lib, live = 0 }

--- 2^53: a double represents each integer up to here.
base.MOST = 9007199254740992

--- Owns one reference until it is released or collected; base.live counts the owned references.
function base.own(pointer, unref)
  if pointer == nil then return nil end
  base.live = base.live + 1
  return ffi.gc(pointer, function(object)
    base.live = base.live - 1
    unref(object)
  end)
end

function base.release(pointer, unref)
  if pointer == nil then return end
  ffi.gc(pointer, nil)
  base.live = base.live - 1
  unref(pointer)
end

local Error = {}
Error.__index = Error
Error.__tostring = function(error) return "sdimage: " .. error.code .. ": " .. error.message end

--- Creates an error, for loaders.
function base.error(code, message)
  return setmetatable({ code = code, message = message or "", http_status = 0, url = "", transient = false }, Error)
end

function base.error_of(error, status)
  if error == nil then return base.error(ffi.string(lib.sdimage_status_name(status))) end
  local code = ffi.string(lib.sdimage_status_name(lib.sdimage_error_code(error)))
  local made = base.error(code, ffi.string(lib.sdimage_error_message(error)))
  made.http_status, made.url = lib.sdimage_error_http_status(error), ffi.string(lib.sdimage_error_url(error))
  made.transient = lib.sdimage_error_is_transient(error)
  return made
end

--- Calls a function whose last two arguments are an output, of type `kind`, and an error.
function base.make(kind, call, ...)
  local out, error = ffi.new(kind .. "*[1]"), ffi.new("sdimage_error*[1]")
  local arguments, count = { ... }, select("#", ...)
  arguments[count + 1], arguments[count + 2] = out, error
  local status = call(unpack(arguments, 1, count + 2))
  if status >= 0 then return out[0] end
  local failure = base.error_of(error[0], status)
  lib.sdimage_error_unref(error[0])
  return nil, failure
end

--- The same for a function without an output: returns true, or nil and an error.
function base.done(call, ...)
  local error = ffi.new("sdimage_error*[1]")
  local arguments, count = { ... }, select("#", ...)
  arguments[count + 1] = error
  local status = call(unpack(arguments, 1, count + 1))
  if status >= 0 then return true end
  local failure = base.error_of(error[0], status)
  lib.sdimage_error_unref(error[0])
  return nil, failure
end

function base.string_of(data) return ffi.string(lib.sdimage_data_bytes(data), lib.sdimage_data_length(data)) end

--- Copies the bytes and releases the data.
function base.take(data, failure)
  if data == nil then return nil, failure end
  local bytes = base.string_of(data)
  lib.sdimage_data_unref(data)
  return bytes
end

--- The word of a number; nil for numbers of later versions.
function base.word(table, number)
  for word, each in pairs(table) do
    if each == number then return word end
  end
end

function base.number(table, name, what)
  return table[name] or error("argument: unknown " .. what .. " " .. tostring(name), 4)
end

--- The number of a set of bits, given by one word or by a list of words.
function base.bits(table, names, what)
  local sum = 0
  for _, name in ipairs(type(names) == "table" and names or { names }) do sum = bit.bor(sum, base.number(table, name, what)) end
  return sum
end

--- An integer from 0 to `most`, by default 2^32 - 1: a conversion to C would wrap any other number.
function base.count(value, what, most)
  most = most or 4294967295
  if type(value) == "number" and value >= 0 and value <= most and value % 1 == 0 then return value end
  error(("argument: %s is %s, expected an integer from 0 to %.0f"):format(what, tostring(value), most), 4)
end

--- A whole number of seconds, which may be negative.
function base.seconds(value, what)
  if type(value) == "number" and math.abs(value) <= base.MOST and value % 1 == 0 then return value end
  error("argument: " .. what .. " is not a whole number of seconds", 4)
end

--- Text for a function without a length argument, where a NUL would end it.
function base.text(value, what)
  if type(value) == "string" and not value:find("\0", 1, true) then return value end
  error("argument: " .. what .. " is not text without a NUL", 4)
end

--- The two numbers of { width, height }.
function base.size(value, what) return base.count(value[1], what), base.count(value[2], what) end

--- Checks that every name of `options` is one of `known`.
function base.check(options, known)
  for name in pairs(options or {}) do
    if not known[name] then error("options: unknown option " .. tostring(name), 4) end
  end
  return options or {}
end

base.DECODE = {
  thumbnail = true, thumbnail_mode = true, pixel_format = true, dynamic_range = true, display_headroom = true,
  keep_gain_map = true, first_frame_only = true, apply_orientation = true, convert_to_srgb = true, accept_partial = true,
  limit_bytes = true, max_pixels = true, max_bytes = true, max_work_ms = true,
}

function base.decode_options(options)
  local made = ffi.gc(lib.sdimage_decode_options_new(), lib.sdimage_decode_options_unref)
  if options.thumbnail then
    local width, height = base.size(options.thumbnail, "thumbnail")
    local mode = base.number(constants.SCALE_MODES, options.thumbnail_mode or "aspect_fit", "thumbnail mode")
    lib.sdimage_decode_options_set_thumbnail_size(made, width, height, mode)
  end
  lib.sdimage_decode_options_set_pixel_format(made, base.number(constants.PIXEL_FORMATS, options.pixel_format or "automatic", "pixel format"))
  local range = base.number(constants.DYNAMIC_RANGES, options.dynamic_range or "sdr", "dynamic range")
  lib.sdimage_decode_options_set_dynamic_range(made, range)
  lib.sdimage_decode_options_set_display_headroom(made, options.display_headroom or 0)
  lib.sdimage_decode_options_set_keep_gain_map(made, options.keep_gain_map or false)
  lib.sdimage_decode_options_set_first_frame_only(made, options.first_frame_only or false)
  lib.sdimage_decode_options_set_apply_orientation(made, options.apply_orientation ~= false)
  lib.sdimage_decode_options_set_convert_to_srgb(made, options.convert_to_srgb ~= false)
  lib.sdimage_decode_options_set_accept_partial(made, options.accept_partial or false)
  lib.sdimage_decode_options_set_limit_bytes(made, base.count(options.limit_bytes or 0, "limit_bytes", base.MOST))
  lib.sdimage_decode_options_set_max_pixels(made, base.count(options.max_pixels or 0, "max_pixels", base.MOST))
  lib.sdimage_decode_options_set_max_bytes(made, base.count(options.max_bytes or 0, "max_bytes", base.MOST))
  lib.sdimage_decode_options_set_max_work_ms(made, base.count(options.max_work_ms or 0, "max_work_ms"))
  return made
end

return base
