--- Tests without a test library, with one line of output each.

local ffi = require("ffi")
local sdimage = require("sdimage")

ffi.cdef("int getpid(void);")

local harness = { origin = os.getenv("ORIGIN"), pictures = os.getenv("PICTURES") .. "/", folder = os.getenv("FOLDER"), failures = 0 }
local serial = 0

function harness.test(name, body)
  local fine, problem = xpcall(body, debug.traceback)
  if fine then return print("ok " .. name) end
  harness.failures = harness.failures + 1
  print("not ok " .. name .. ": " .. tostring(problem):gsub("\n.*", ""))
  io.stderr:write(tostring(problem), "\n")
end

function harness.expect(got, wanted)
  if got ~= wanted then error(tostring(got) .. ", not " .. tostring(wanted), 2) end
end

--- A URL of the origin that no other test uses.
function harness.fresh(name, query)
  serial = serial + 1
  return ("%s%s?test=lua%d-%d&%s"):format(harness.origin, name, ffi.C.getpid(), serial, query or "")
end

function harness.bytes(name)
  local file = assert(io.open(harness.pictures .. name, "rb"))
  local bytes = file:read("*a")
  file:close()
  return bytes
end

--- A folder that does not exist yet.
function harness.new_folder()
  serial = serial + 1
  return ("%s/cache-%d-%d"):format(harness.folder, ffi.C.getpid(), serial)
end

--- The code of the error that a call returns.
function harness.code(value, failure)
  if value ~= nil then return "no error" end
  return failure and failure.code
end

--- Bytes of pixels in use, by the library's own count.
function harness.live_pixels() return tonumber(sdimage.metrics():match('sdimage_pixel_bytes{state="live"} (%d+)')) end

--- Objects still held after collection.
function harness.settled()
  collectgarbage()
  collectgarbage()
  return sdimage.live_handles()
end

return harness
