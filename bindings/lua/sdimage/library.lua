--- The library that has the functions of this package.

local ffi = require("ffi")

require("sdimage.prototypes")

-- Declared under a name of its own, because the program may have declared poll itself.
ffi.cdef([[
struct sdimage_lua_pollfd { int fd; short events; short revents; };
int sdimage_lua_poll(struct sdimage_lua_pollfd *entries, unsigned long count, int timeout) __asm__("poll");
]])

local function open()
  local named, prefix = os.getenv("SDIMAGE_LIBRARY"), os.getenv("SDIMAGE_PREFIX")
  if named then return ffi.load(named) end
  if prefix then return ffi.load(prefix .. "/lib/libsdimage.so.1") end
  local found, library = pcall(ffi.load, "libsdimage.so.1")
  if found then return library end
  local pipe = assert(io.popen("pkg-config --variable=libdir sdimage"))
  local folder = pipe:read("*l")
  pipe:close()
  return ffi.load(assert(folder, library) .. "/libsdimage.so.1")
end

return open()
