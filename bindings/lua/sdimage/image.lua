--- Images: immutable pixels in memory of the library.

local ffi = require("ffi")
local base = require("sdimage.base")
local constants = require("sdimage.constants")
local lib = base.lib

local image = {}
local Image = {}

-- Computed on access.
local FIELDS = {
  width = function(pointer) return lib.sdimage_image_width(pointer) end,
  height = function(pointer) return lib.sdimage_image_height(pointer) end,
  --- Bytes from one row to the next.
  stride = function(pointer) return tonumber(lib.sdimage_image_stride(pointer)) end,
  pixel_format = function(pointer) return ffi.string(lib.sdimage_pixel_format_name(lib.sdimage_image_pixel_format(pointer))) end,
  --- The container that the image was decoded from; "unknown" for images created from pixels.
  format = function(pointer) return ffi.string(lib.sdimage_format_name(lib.sdimage_image_format(pointer))) end,
  has_alpha = function(pointer) return lib.sdimage_image_has_alpha(pointer) end,
  --- Size of the encoded image.
  source_width = function(pointer) return lib.sdimage_image_source_size(pointer).width end,
  source_height = function(pointer) return lib.sdimage_image_source_size(pointer).height end,
  --- Headroom of the pixels in stops above SDR white; 0 for SDR.
  headroom = function(pointer) return lib.sdimage_image_headroom(pointer) end,
  --- Headroom of the brightest rendition of the file in stops: that of its gain map if it was applied or kept, or of
  -- PQ and HLG; 0 for SDR.
  content_headroom = function(pointer) return lib.sdimage_image_content_headroom(pointer) end,
  frame_count = function(pointer) return lib.sdimage_image_frame_count(pointer) end,
  --- 0 repeats forever.
  loop_count = function(pointer) return lib.sdimage_image_loop_count(pointer) end,
  duration_ms = function(pointer) return tonumber(lib.sdimage_image_duration_ms(pointer)) end,
}

Image.__index = function(self, name)
  local field = FIELDS[name]
  if not field then return Image[name] end
  return field(self:get())
end

local BUDGET, since = 64 * 1024 * 1024, 0

--- The collector sees a pointer, not the image behind it, so this runs it when there may be many bytes to free.
local function account(pointer)
  since = since + tonumber(lib.sdimage_image_memory_cost(pointer))
  if since > BUDGET then
    since = 0
    collectgarbage()
  end
end

--- Takes over the reference.
function image.wrap(pointer, failure)
  if pointer == nil then return nil, failure end
  account(pointer)
  return setmetatable({ pointer = base.own(pointer, lib.sdimage_image_unref) }, Image)
end

--- The pointer, for internal use.
function Image:get() return rawget(self, "pointer") or error("image: closed", 3) end

--- Releases the memory now; otherwise it is released when the image is collected.
function Image:close()
  base.release(rawget(self, "pointer"), lib.sdimage_image_unref)
  self.pointer = nil
end

--- The rows, stride bytes apart, as a `const uint8_t *`: not copied, valid while the image is referenced and not
-- closed.
function Image:pixels() return ffi.cast("const uint8_t *", lib.sdimage_image_pixels(self:get())) end

--- Row y, from 0, as a string.
function Image:row(y)
  local pointer = self:get()
  if base.count(y, "a row") >= self.height then error("image: row " .. y .. " is out of range (count " .. self.height .. ")", 2) end
  local bytes = lib.sdimage_pixel_format_bytes(lib.sdimage_image_pixel_format(pointer))
  return ffi.string(self:pixels() + y * self.stride, self.width * bytes)
end

--- Converts to another pixel format.
function Image:convert(pixel_format)
  local format = base.number(constants.PIXEL_FORMATS, pixel_format, "pixel format")
  return image.wrap(base.make("sdimage_image", lib.sdimage_image_convert, self:get(), format))
end

--- Applies the gain map that the option keep_gain_map left, for a display with a headroom in stops (default: that of
-- the content). The result is rgba_float, or the same pixels if they are the rendition.
function Image:apply_gain_map(headroom)
  return image.wrap(base.make("sdimage_image", lib.sdimage_image_apply_gain_map, self:get(), headroom or math.huge))
end

--- Frame index, from 0, of an animation, composed to the whole canvas.
function Image:frame(index)
  return image.wrap(base.make("sdimage_image", lib.sdimage_image_get_frame, self:get(), base.count(index, "a frame")))
end

--- Encodes the image as a file, in a string. Options: quality (0 to 1), lossless, max_pixel_size = { width, height },
-- embed_gain_map (JPEG: the gain map of a base image, or one for the light above SDR white).
function Image:encode(format, options)
  options = base.check(options, { quality = true, lossless = true, max_pixel_size = true, embed_gain_map = true })
  local encode = ffi.gc(lib.sdimage_encode_options_new(), lib.sdimage_encode_options_unref)
  lib.sdimage_encode_options_set_quality(encode, options.quality or 1)
  lib.sdimage_encode_options_set_lossless(encode, options.lossless or false)
  lib.sdimage_encode_options_set_embed_gain_map(encode, options.embed_gain_map or false)
  if options.max_pixel_size then
    lib.sdimage_encode_options_set_max_pixel_size(encode, base.size(options.max_pixel_size, "max_pixel_size"))
  end
  return base.take(base.make("sdimage_data", lib.sdimage_encode, self:get(), base.number(constants.FORMATS, format, "format"), encode))
end

--- Decodes a string. Options: thumbnail = { width, height }, thumbnail_mode ("aspect_fit", "fill" or
-- "aspect_fill"), pixel_format, dynamic_range ("sdr", "hdr" or "automatic"), display_headroom in stops above SDR white
-- (for "automatic"), keep_gain_map (leaves the base image with its map), first_frame_only, apply_orientation and
-- convert_to_srgb (both true by default), accept_partial, limit_bytes (of the bitmaps, to which the image is shrunk);
-- and safety limits, beyond which the decode fails: max_pixels of the header, max_bytes of the bitmap.
function image.decode(bytes, options)
  local decode = base.decode_options(base.check(options, base.DECODE))
  return image.wrap(base.make("sdimage_image", lib.sdimage_decode, bytes, #bytes, decode))
end

--- An image with a copy of the pixels in a string, without padding between the rows.
function image.from_pixels(width, height, pixel_format, bytes)
  local format = base.number(constants.PIXEL_FORMATS, pixel_format, "pixel format")
  local stride = base.count(width, "width") * tonumber(lib.sdimage_pixel_format_bytes(format))
  if #bytes ~= stride * base.count(height, "height") then return nil, base.error("INVALID_ARGUMENT", "image: wrong number of bytes for the size") end
  return image.wrap(base.make("sdimage_image", lib.sdimage_image_new, width, height, stride, format, bytes))
end

return image
