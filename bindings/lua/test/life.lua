--- Leaks of objects, pixels and processes.

local ffi = require("ffi")
local harness = require("harness")
local sdimage = require("sdimage")

local test, expect, fresh, code = harness.test, harness.expect, harness.fresh, harness.code

test("thousands of loads leave nothing behind", function()
  local handles, pixels = harness.settled(), harness.live_pixels()
  -- Few bytes, but many pixels: the library counts large bitmaps only.
  local flat = assert(sdimage.from_pixels(512, 512, "gray8", ("M"):rep(512 * 512)):encode("png"))
  local cache = assert(sdimage.cache({ memory_only = true, max_memory_count = 50 }))
  local manager = assert(sdimage.manager({ cache = cache, loaders = { mine = function() return flat end } }))
  for round = 1, 30 do
    local tasks = {}
    for index = 1, 100 do tasks[index] = assert(manager:start("mine:" .. round .. "-" .. index)) end
    for _, task in ipairs(tasks) do expect(assert(task:wait()).image:pixels()[7], 77) end
  end
  expect(manager:running_count() + sdimage.pending(), 0)
  manager:close()
  cache:close()
  expect(harness.settled() <= handles, true)
  -- A thread of the library may hold the last image for a moment.
  for _ = 1, 10000 do
    if harness.live_pixels() > pixels then sdimage.poll(10) end
  end
  expect(harness.live_pixels() <= pixels, true)
end)

ffi.cdef([[
  struct mallinfo2 { size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost; };
  struct mallinfo2 mallinfo2(void);
]])

--- Bytes that the process has allocated and not freed.
local function allocated() return tonumber(ffi.C.mallinfo2().uordblks) end

test("descriptions of bytes and of the library leave nothing behind", function()
  local file = harness.bytes("badge.png")
  local function growth(call, count)
    local before
    for round = 1, 2 do
      before = allocated()
      for _ = 1, count do assert(call(file)) end
      collectgarbage()
      collectgarbage()
    end
    return allocated() - before
  end
  -- One object each would be 380,000 and 1,000,000 bytes.
  expect(growth(sdimage.info, 2000) < 100000, true)
  expect(growth(sdimage.doctor, 200) < 100000, true)
end)

ffi.cdef([[
  struct rlimit { unsigned long current, maximum; };
  int getrlimit(int resource, struct rlimit *limit);
  int setrlimit(int resource, const struct rlimit *limit);
]])

--- Lets the process allocate at most `count` more bytes; nil means any number.
local function limit_memory(count)
  local RLIMIT_DATA, limit = 2, ffi.new("struct rlimit[1]")
  local file = assert(io.open("/proc/self/status"))
  local used = tonumber(file:read("*a"):match("VmData:%s*(%d+)")) * 1024
  file:close()
  expect(ffi.C.getrlimit(RLIMIT_DATA, limit), 0)
  limit[0].current = count and used + count or limit[0].maximum
  expect(ffi.C.setrlimit(RLIMIT_DATA, limit), 0)
end

test("a store that raises leaves nothing behind", function()
  local cache, bytes = assert(sdimage.cache({ memory_only = true })), ("M"):rep(4 * 1024 * 1024)
  local closed = assert(sdimage.from_pixels(1, 1, "gray8", "M"))
  closed:close()
  local function problems()
    local _, layers = pcall(cache.store, cache, "key", nil, bytes, "attic")
    local _, picture = pcall(cache.store, cache, "key", closed, bytes)
    return tostring(layers) .. tostring(picture)
  end
  local first, others = problems(), 0
  limit_memory(50 * 1024 * 1024)
  -- Without memory there is another problem.
  for _ = 1, 30 do others = others + (problems() == first and 0 or 1) end
  limit_memory(nil)
  expect(others, 0)
  cache:close()
end)

test("a storm of cancellations ends every load once", function()
  local handles, ends = harness.settled(), 0
  local manager, tasks = assert(sdimage.manager({ cache = false })), {}
  for index = 1, 500 do
    local task = assert(manager:start(fresh("badge.png", index % 3 == 0 and "" or "delay_ms=20"), {
      on_result = function(result, failure)
        ends = ends + 1
        expect(result ~= nil or failure.code == "CANCELLED", true)
      end,
    }))
    tasks[index] = task
    if index % 2 == 0 then task:cancel() end
    if index % 5 == 0 then manager:poll(1) end
    if index % 7 == 0 then tasks[index - 3]:cancel() end
  end
  while sdimage.pending() > 0 do manager:poll(-1) end
  expect(ends, 500)
  manager:close()
  manager, tasks = nil, nil
  expect(harness.settled() <= handles, true)
end)

test("closing ends what runs with SHUTDOWN", function()
  local manager, tasks = nil, {}
  local function never()
    coroutine.yield()
    return "too late"
  end
  manager = assert(sdimage.manager({ cache = false, loaders = { mine = never } }))
  for index = 1, 20 do tasks[index] = assert(manager:start(index == 7 and "mine:a" or fresh("badge.png", "fault=hang"))) end
  while tasks[7].pointer do manager:poll(-1) end
  local late
  local cancelled = assert(manager:start(fresh("badge.png", "fault=hang"), {
    on_result = function() late = code(manager:start(fresh("badge.png"))) end,
  }))
  cancelled:cancel()
  manager:close()
  for _, task in ipairs(tasks) do expect(code(task:wait()), "SHUTDOWN") end
  expect(code(cancelled:wait()) .. " " .. late, "CANCELLED SHUTDOWN")
end)

test("what a function raises while a manager closes is raised when it is closed", function()
  local manager, ends = assert(sdimage.manager({ cache = false, loaders = { mine = coroutine.yield } })), 0
  local function raise()
    ends = ends + 1
    error("thrown")
  end
  for index = 1, 4 do assert(manager:start(fresh("badge.png", "fault=hang"), { on_result = index < 4 and raise or nil })) end
  for _ = 1, 3 do assert(manager:start("mine:a", { source_policy = "loader_only", on_result = raise })) end
  local fine, problem = pcall(manager.close, manager)
  expect(fine, false)
  expect(tostring(problem):match("thrown"), "thrown")
  expect(ends .. " " .. sdimage.pending(), "6 0")
  expect(pcall(manager.get, manager), false)
  manager:close()
end)

ffi.cdef("int fork(void); unsigned alarm(unsigned seconds); void _exit(int status); int waitpid(int id, int *status, int options);")

test("a process that was forked off is told so, and closing ends there", function()
  local manager = assert(sdimage.manager({ cache = false }))
  local task = assert(manager:start(fresh("badge.png", "fault=hang")))
  local child = ffi.C.fork()
  if child == 0 then
    ffi.C.alarm(120)
    local _, first = pcall(sdimage.poll, 0)
    local _, second = pcall(task.wait, task)
    local closed = pcall(manager.close, manager)
    ffi.C._exit(first.code == "FORKED" and second.code == "FORKED" and closed and task.failure.code == "SHUTDOWN" and 0 or 1)
  end
  local status = ffi.new("int[1]")
  expect(ffi.C.waitpid(child, status, 0), child)
  expect(status[0], 0)
  manager:close()
end)

test("what a function raises is raised by poll, after all were called", function()
  local manager = assert(sdimage.manager({ cache = false }))
  local others = 0
  assert(manager:start(fresh("badge.png"), { on_result = function() error("thrown") end }))
  assert(manager:start(fresh("leaf.webp"), { on_result = function() others = others + 1 end }))
  local raised
  while sdimage.pending() > 0 do
    local fine, problem = pcall(manager.poll, manager, -1)
    if not fine then raised = problem end
  end
  expect(tostring(raised):match("thrown"), "thrown")
  expect(others, 1)
  local fine, problem = pcall(sdimage.run, function()
    manager:load(fresh("badge.png"))
    error("in a coroutine")
  end)
  expect(fine, false)
  expect(problem:match("in a coroutine"), "in a coroutine")
  manager:close()
end)

test("a program that just ends does", function()
  local text = [[
    local sdimage = require("sdimage")
    local manager = assert(sdimage.manager({ cache = false }))
    for index = 1, 50 do
      assert(manager:start(os.getenv("ORIGIN") .. "badge.png?fault=hang&i=" .. index))
      assert(manager:start(os.getenv("ORIGIN") .. "badge.png?i=" .. index))
    end
    %s]]
  for ending, wanted in pairs({ ["os.exit(7)"] = 7, ["os.exit(5, true)"] = 5, [""] = 0 }) do
    local name = os.tmpname()
    local file = assert(io.open(name, "w"))
    file:write(text:format(ending))
    file:close()
    local status = os.execute(("timeout 300 %s %s >&2"):format(arg[-1], name))
    os.remove(name)
    expect(status / 256, wanted)
  end
end)
