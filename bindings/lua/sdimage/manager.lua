--- Managers, loads, and the loop that delivers their results.

local ffi = require("ffi")
local base = require("sdimage.base")
local constants = require("sdimage.constants")
local image = require("sdimage.image")
local loader = require("sdimage.loader")
local lib = base.lib

local OK, END, PROGRESS = constants.STATUSES.ok, constants.STATUSES["end"], constants.EVENTS.progress
local NO_LIMIT, CLOSING_MS, CLOSED = 4294967295, 2000, "manager: closed"

local manager = {}
local Manager, Task = {}, {}
Manager.__index, Task.__index = Manager, Task

local dispatcher = assert(base.make("sdimage_dispatcher", lib.sdimage_dispatcher_new_pollable))
ffi.gc(dispatcher, lib.sdimage_dispatcher_unref)
local tasks, last = {}, 0 -- by token
-- A handler without functions: its loads have no progress events, which would wake the loop in vain.
local RESULTS_ONLY = ffi.new("struct { size_t size; void *result, *progress; }")
RESULTS_ONLY.size = ffi.sizeof(RESULTS_ONLY)

-- --- Loads.

local LOAD = {
  on_progress = true, on_partial = true, on_result = true, priority = true, source_policy = true, cache_policy = true,
  freshness = true,
  progressive = true, progressive_interval_ms = true, include_data = true, wait_for_store = true, retry_failed = true,
  timeout_ms = true, max_retries = true, max_body_bytes = true, cache_key = true, headers = true,
}
for name in pairs(base.DECODE) do LOAD[name] = true end

local function request_of(url, options)
  local request = ffi.gc(lib.sdimage_request_new_bytes(url, #url), lib.sdimage_request_unref)
  lib.sdimage_request_set_decode_options(request, base.decode_options(options))
  if options.cache_key then lib.sdimage_request_set_cache_key(request, options.cache_key, #options.cache_key) end
  lib.sdimage_request_set_priority(request, base.number(constants.PRIORITIES, options.priority or "normal", "priority"))
  lib.sdimage_request_set_source_policy(request, base.number(constants.POLICIES, options.source_policy or "any", "source policy"))
  lib.sdimage_request_set_cache_policy(request, base.bits(constants.CACHE_POLICIES, options.cache_policy or "default", "cache policy"))
  if options.freshness then
    lib.sdimage_request_set_freshness(request, base.number(constants.FRESHNESS, options.freshness, "freshness"))
  end
  lib.sdimage_request_set_progressive(request, options.progressive or options.on_partial ~= nil)
  lib.sdimage_request_set_progressive_interval_ms(request, base.count(options.progressive_interval_ms or 0, "progressive_interval_ms"))
  lib.sdimage_request_set_include_data(request, options.include_data or false)
  lib.sdimage_request_set_wait_for_store(request, options.wait_for_store or false)
  lib.sdimage_request_set_retry_failed(request, options.retry_failed or false)
  lib.sdimage_request_set_timeout_ms(request, base.count(options.timeout_ms or 0, "timeout_ms"))
  if options.max_retries then lib.sdimage_request_set_max_retries(request, base.count(options.max_retries, "max_retries")) end
  lib.sdimage_request_set_max_body_bytes(request, base.count(options.max_body_bytes or 0, "max_body_bytes", base.MOST))
  for name, value in pairs(options.headers or {}) do
    local content = value and base.text(value, "a header field") or nil
    lib.sdimage_request_set_header(request, base.text(name, "a header field"), content)
  end
  return request
end

--- Begins a load with the task's token.
local function begin(task, url, changes)
  local owner = task.manager:get()
  if task.manager.is_closing then return nil, base.error("SHUTDOWN", CLOSED) end
  changes.priority = task.new_priority
  local request = request_of(url, setmetatable(changes, { __index = task.options }))
  local token = ffi.cast("void *", task.token)
  local handler = not task.options.on_progress and ffi.cast("const sdimage_load_handler *", RESULTS_ONLY) or nil
  local pointer, failure = base.make("sdimage_task", lib.sdimage_manager_load, owner, request, handler, token, nil)
  if not pointer then return nil, failure end
  task.pointer = base.own(pointer, lib.sdimage_task_unref)
  tasks[task.token] = task
  return task
end

--- Starts a load and returns a task. Options: those of decode, cache_key, headers (false omits a field), priority, source_policy,
-- cache_policy (a word or a list of words), freshness, progressive, progressive_interval_ms, include_data, wait_for_store,
-- retry_failed, timeout_ms, max_retries, max_body_bytes (the largest accepted body, without its content coding); and functions
-- that poll calls: on_progress(received, expected or nil), on_partial(result), on_result(result, failure).
function Manager:start(url, options)
  options = base.check(options, LOAD)
  last = last + 1
  local task = setmetatable({ token = last, url = url, manager = self, options = options, waiters = {} }, Task)
  task.fetch = options.source_policy ~= "cache_only" and loader.of(self.loaders, url) or nil
  if task.fetch and options.source_policy == "loader_only" then
    request_of(url, options) -- raises errors in the options now, before the function has worked for nothing
    tasks[task.token] = task
    return loader.start(task, begin)
  end
  return begin(task, url, task.fetch and { source_policy = "cache_only" } or {})
end

--- Loads an image: its result, or nil and an error. Inside a coroutine other coroutines continue, and poll resumes it.
-- Outside of one it polls until the load has ended.
function Manager:load(url, options)
  local task, failure = self:start(url, options)
  if not task then return nil, failure end
  return task:wait()
end

--- The final result, or nil and an error, once it is available.
function Task:wait()
  local this, is_main = coroutine.running()
  while not self.is_done do
    if this and not is_main then
      table.insert(self.waiters, this)
      coroutine.yield(self)
    else
      manager.poll(-1)
    end
  end
  return self.result, self.failure
end

--- Requests the end of the load with CANCELLED; harmless after its end.
function Task:cancel()
  self.is_cancelled = true
  if self.pointer then lib.sdimage_task_cancel(self.pointer) end
  loader.cancel(self)
end

--- "low", "normal" or "high": that of the options until it is changed.
function Task:priority()
  if self.pointer then return base.word(constants.PRIORITIES, lib.sdimage_task_priority(self.pointer)) end
  return self.new_priority or self.options.priority or "normal"
end

--- Changes the priority, for example when the image scrolls into view or out of it. Takes effect while the load is
-- queued, for its transfer or for its decode.
function Task:set_priority(priority)
  local number = base.number(constants.PRIORITIES, priority, "priority")
  self.new_priority = priority
  if self.pointer then lib.sdimage_task_set_priority(self.pointer, number) end
end

local function result_of(task, pointer)
  local data, error = lib.sdimage_result_data(pointer), lib.sdimage_result_error(pointer)
  local picture = lib.sdimage_result_image(pointer)
  return {
    kind = base.word(constants.KINDS, lib.sdimage_result_kind(pointer)),
    image = picture ~= nil and image.wrap(lib.sdimage_image_ref(picture)) or nil,
    data = data ~= nil and base.string_of(data) or nil,
    failure = error ~= nil and base.error_of(error) or nil,
    source = ffi.string(lib.sdimage_image_source_name(lib.sdimage_result_source(pointer))),
    is_changed = lib.sdimage_result_is_changed(pointer),
    is_stale = lib.sdimage_result_is_stale(pointer),
    url = task.url,
    cache_key = ffi.string(lib.sdimage_result_cache_key(pointer)),
  }
end

--- Ends a task and notifies its waiters.
function Task:finish(result, failure)
  tasks[self.token], self.is_done, self.result, self.failure = nil, true, result, failure
  local problem
  local function guard(call, ...)
    local fine, raised = pcall(call, ...)
    if not fine then problem = problem or raised end
  end
  if self.options.on_result then guard(self.options.on_result, result, failure) end
  for _, waiter in ipairs(self.waiters) do guard(manager.resume, waiter) end
  if problem then error(problem, 0) end
end

local function ended(task, result)
  base.release(task.pointer, lib.sdimage_task_unref)
  task.pointer = nil
  local failure = result.failure
  if failure and failure.code == "CANCELLED" and task.manager.is_closing and not task.is_cancelled then
    failure.code, failure.message = "SHUTDOWN", CLOSED -- close cancels the loads
  end
  -- A stale image is delivered with the error of its failed revalidation: the load still has a result.
  if not result.image and failure then return task:finish(nil, failure) end
  if not result.image and task.fetch then return loader.start(task, begin) end
  return task:finish(result)
end

local function deliver(task, event)
  local options = task.options
  if lib.sdimage_event_callback_kind(event) == PROGRESS then
    local expected = tonumber(lib.sdimage_event_expected(event))
    local received = tonumber(lib.sdimage_event_received(event))
    if options.on_progress then options.on_progress(received, expected >= 0 and expected or nil) end
    return
  end
  local result = result_of(task, lib.sdimage_event_result(event))
  if result.kind == "final" then return ended(task, result) end
  if options.on_partial then options.on_partial(result) end
end

-- --- The loop.

--- The descriptor to watch for reading in another event loop, which then calls poll(0).
function manager.fileno() return lib.sdimage_dispatcher_descriptor(dispatcher) end

--- The number of loads in progress.
function manager.pending()
  local count = 0
  for _ in pairs(tasks) do count = count + 1 end
  return count
end

--- Resumes a coroutine; raises its error here.
function manager.resume(routine, ...)
  local fine, problem = coroutine.resume(routine, ...)
  if not fine then error(debug.traceback(routine, tostring(problem)), 0) end
end

--- Waits and delivers. Returns the number of events, the error that a function raised, and the error of the dispatcher,
-- after which no event follows.
local function drain(timeout_ms)
  local out, count, problem = ffi.new("sdimage_event*[1]"), 0, nil
  local status = lib.sdimage_dispatcher_next_event(dispatcher, out, nil)
  -- Checked before waiting: in a forked process nothing would ever wake this.
  if status == END then
    lib.sdimage_lua_poll(ffi.new("struct sdimage_lua_pollfd", { manager.fileno(), 1, 0 }), 1, timeout_ms)
    status = lib.sdimage_dispatcher_next_event(dispatcher, out, nil)
  end
  while status == OK do
    local event = ffi.gc(out[0], lib.sdimage_event_unref)
    local task = tasks[tonumber(ffi.cast("uintptr_t", lib.sdimage_event_token(event)))]
    local fine, raised = true, nil
    if task then fine, raised = pcall(deliver, task, event) end
    if not fine then problem = problem or raised end
    lib.sdimage_event_unref(ffi.gc(event, nil))
    count = count + 1
    status = lib.sdimage_dispatcher_next_event(dispatcher, out, nil)
  end
  return count, problem, status < 0 and base.error_of(nil, status) or nil
end

--- Waits up to the given number of milliseconds (0, the default: not at all; negative: forever) and calls the functions
-- of the events that arrived. Returns the number of events. An error of one function is raised after all were called;
-- so is FORKED, in a process that was forked after the package was loaded.
function manager.poll(timeout_ms)
  local count, problem, failure = drain(timeout_ms or 0)
  if problem or failure then error(problem or failure, 0) end
  return count
end

--- Runs functions as coroutines, and the loop until no load is in progress.
function manager.run(...)
  for _, routine in ipairs({ ... }) do manager.resume(coroutine.create(routine)) end
  while next(tasks) do manager.poll(-1) end
end

-- --- Managers.

local MANAGER = { cache = true, loaders = true, freshness = true, ignore_signatures = true, failed_url_retry_after = true }

--- Options: cache (false: none; nil: the one that the process shares), loaders (functions by scheme), freshness,
-- ignore_signatures (of URLs, in cache keys), failed_url_retry_after (seconds; negative: until forget_failed).
function manager.new(options)
  options = base.check(options, MANAGER)
  local config = ffi.gc(lib.sdimage_manager_config_new(), lib.sdimage_manager_config_unref)
  if options.cache then lib.sdimage_manager_config_set_cache(config, options.cache:get()) end
  if options.cache == false then lib.sdimage_manager_config_set_cache(config, nil) end
  lib.sdimage_manager_config_set_freshness(config, base.number(constants.FRESHNESS, options.freshness or "ignore", "freshness"))
  lib.sdimage_manager_config_set_ignore_signatures(config, options.ignore_signatures or false)
  local seconds = options.failed_url_retry_after
  if seconds then lib.sdimage_manager_config_set_failed_url_retry_after(config, base.seconds(seconds, "failed_url_retry_after")) end
  lib.sdimage_manager_config_set_dispatcher(config, dispatcher)
  local pointer, failure = base.make("sdimage_manager", lib.sdimage_manager_new, config)
  if not pointer then return nil, failure end
  return setmetatable({ pointer = base.own(pointer, lib.sdimage_manager_unref), loaders = options.loaders or {} }, Manager)
end

--- The pointer, for internal use.
function Manager:get() return self.pointer or error(base.error("SHUTDOWN", CLOSED)) end

--- The loads of a manager in progress, in a separate list because their functions may start others.
local function tasks_of(owner)
  local found = {}
  for _, task in pairs(tasks) do if task.manager == owner then found[#found + 1] = task end end
  return found
end

function Manager:cancel_all()
  for _, task in ipairs(tasks_of(self)) do task:cancel() end
end

--- The number of loads without a final result.
function Manager:running_count() return self:get() and #tasks_of(self) end

--- Switches network loading off and on again.
function Manager:set_offline(offline) lib.sdimage_manager_set_offline(self:get(), offline) end

--- Clears the remembered failure of a URL; without one, of all URLs.
function Manager:forget_failed(url) lib.sdimage_manager_forget_failed(self:get(), url, url and #url or 0) end

--- The same as the function of the package.
function Manager.poll(_, timeout_ms) return manager.poll(timeout_ms) end

--- Waits until the stores of finished loads are committed, images that are still being encoded for the cache included.
-- Returns true, or nil and an error: TIMEOUT after the given number of milliseconds, by default without a limit.
function Manager:flush(timeout_ms)
  return base.done(lib.sdimage_manager_flush, self:get(), base.count(timeout_ms or NO_LIMIT, "timeout_ms"))
end

--- Ends running loads with SHUTDOWN, reports all of them, and accepts no more. Waits up to 2 seconds for images that are
-- still being encoded for the cache; flush waits for all of them. An error of a function is raised after the manager is
-- closed. Repeated calls are harmless; other calls then raise SHUTDOWN.
function Manager:close()
  if not self.pointer or self.is_closing then return end
  self.is_closing = true
  local _, problem, failure = drain(0) -- fails in a forked process
  local left = tasks_of(self)
  -- Not yet by closing, which would wait for this loop, or abandon what is still being encoded.
  for _, task in ipairs(left) do
    if task.pointer then lib.sdimage_task_cancel(task.pointer) end
  end
  while #left > 0 do
    -- A task without a load in the library waits for its function, and after a failure all do: no event would end them.
    for _, task in ipairs(left) do
      local fine, raised = true, nil
      if failure or not task.pointer then fine, raised = pcall(loader.drop, task) end
      if not fine then problem = problem or raised end
    end
    if not failure and #tasks_of(self) > 0 then
      local _, raised, refused = drain(-1)
      problem, failure = problem or raised, refused
    end
    left = tasks_of(self)
  end
  lib.sdimage_manager_close(self.pointer, failure and 0 or CLOSING_MS, nil)
  base.release(self.pointer, lib.sdimage_manager_unref)
  self.pointer = nil
  if problem then error(problem, 0) end
end

return manager
