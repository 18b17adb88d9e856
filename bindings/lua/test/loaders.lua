local harness = require("harness")
local sdimage = require("sdimage")

local test, expect, fresh, bytes, code = harness.test, harness.expect, harness.fresh, harness.bytes, harness.code

test("a function loads the URLs of its scheme, once, also to the disk", function()
  local cache, asked = assert(sdimage.cache({ directory = harness.new_folder() })), 0
  local function load(request)
    asked = asked + 1
    expect(request.url, "mine:badge")
    return bytes("badge.png")
  end
  local manager = assert(sdimage.manager({ cache = cache, loaders = { mine = load } }))
  local result = assert(manager:load("mine:badge"))
  expect(result.source .. " " .. result.image.format .. " " .. result.url, "loader png mine:badge")
  expect(assert(manager:load("mine:badge")).source, "memory")
  assert(cache:flush())
  assert(cache:clear("memory"))
  expect(assert(manager:load("mine:badge")).source, "disk")
  expect(assert(manager:load("mine:badge", { thumbnail = { 20, 20 } })).image.width, 20)
  expect(assert(manager:load(fresh("badge.png"))).source, "network")
  expect(asked, 1)
  manager:close()
  cache:close()
end)

test("the cache policy of a load by a function counts for the disk", function()
  local cache = assert(sdimage.cache({ directory = harness.new_folder() }))
  local manager = assert(sdimage.manager({ cache = cache, loaders = { mine = function() return bytes("badge.png") end } }))
  local count = 0
  local function is_on_disk(options)
    count = count + 1
    assert(manager:load("mine:" .. count, options))
    assert(cache:flush())
    return cache:data("mine:" .. count) ~= nil
  end
  for _, policy in ipairs({ "none", "memory_only", "read_only", "skip_disk_write" }) do
    expect(is_on_disk({ cache_policy = policy }), false)
  end
  expect(is_on_disk({ cache_policy = "skip_original_write" }), true) -- the image is the original
  expect(is_on_disk({ cache_policy = "skip_disk_write", thumbnail = { 0, 0 } }), false)
  for _, derived in ipairs({ { thumbnail = { 20, 20 } }, { pixel_format = "rgba8" } }) do
    for policy, is_stored in pairs({ none = false, skip_original_write = false, skip_disk_write = true, default = true }) do
      derived.cache_policy = policy
      expect(is_on_disk(derived), is_stored)
    end
  end
  manager:close()
  cache:close()
end)

test("what a loader raises or returns is the error of the load", function()
  local loaders = {
    own = function() return nil, sdimage.error("PERMISSION_DENIED", "not for you") end,
    text = function() return nil, "no reason" end,
    raises = function() error("oh") end,
    odd = function() return 3 end,
    html = function() return "<html>" end,
  }
  local manager = assert(sdimage.manager({ cache = false, loaders = loaders }))
  expect(code(manager:load("own:a")), "PERMISSION_DENIED")
  expect(code(manager:load("html:a")), "NOT_AN_IMAGE")
  for _, url in ipairs({ "text:a", "raises:a", "odd:a" }) do expect(code(manager:load(url)), "INTERNAL_ERROR") end
  manager:close()
end)

test("a loader may load, and be cancelled while it does", function()
  local manager, begun, over
  local function load(request)
    begun = request.url
    local result, failure = manager:load(fresh("badge.png", request.url == "mine:hang" and "fault=hang" or "delay_ms=10"))
    over = request.is_cancelled()
    return result and result.data, failure
  end
  manager = assert(sdimage.manager({ cache = false, loaders = { mine = load } }))
  expect(assert(manager:load("mine:a")).image.width, 400)
  local task = assert(manager:start("mine:hang"))
  while begun ~= "mine:hang" do manager:poll(-1) end
  task:cancel()
  expect(code(task:wait()), "CANCELLED")
  manager:close()
  expect(over, true)
end)

test("a load whose function works has a priority, which changes", function()
  local manager, task
  manager = assert(sdimage.manager({ cache = false, loaders = { mine = function()
    assert(manager:load(fresh("leaf.webp")))
    return bytes("badge.png")
  end } }))
  task = assert(manager:start("mine:a", { source_policy = "loader_only" }))
  expect(task:priority(), "normal")
  task:set_priority("low")
  assert(task:wait())
  expect(task:priority(), "low")
  manager:close()
end)

test("a bad option of a load by a function alone is raised, and nothing stays behind", function()
  local asked = 0
  local manager = assert(sdimage.manager({ cache = false, loaders = { mine = function()
    asked = asked + 1
    return bytes("badge.png")
  end } }))
  for name, value in pairs({ priority = "urgent", pixel_format = "rgb", timeout_ms = {} }) do
    local fine = pcall(manager.start, manager, "mine:a", { source_policy = "loader_only", [name] = value })
    expect(fine, false)
  end
  expect(asked + sdimage.pending(), 0)
  -- Options that become invalid while the function works are the error of the load.
  local cache = assert(sdimage.cache({ memory_only = true }))
  for name, value in pairs({ headers = 7, cache_policy = "nothing" }) do
    local options = { source_policy = "loader_only" }
    local bad = assert(sdimage.manager({ cache = cache, loaders = { mine = function()
      options[name] = value
      return bytes("badge.png")
    end } }))
    expect(code(bad:load("mine:a", options)), "INTERNAL_ERROR")
    expect(sdimage.pending(), 0)
    bad:close()
  end
  cache:close()
  manager:close()
end)

test("every length of bytes arrives as it was", function()
  local file = bytes("leaf.webp")
  local manager = assert(sdimage.manager({ cache = false, loaders = {
    mine = function(request) return file .. ("\0"):rep(tonumber(request.url:match("%d"))) end,
  } }))
  for padding = 0, 3 do
    local result = assert(manager:load("mine:" .. padding, { source_policy = "loader_only" }))
    expect(result.data == file .. ("\0"):rep(padding), true)
  end
  manager:close()
end)

test("the bytes of a function enter the cache that managers share", function()
  local asked = 0
  local function load()
    asked = asked + 1
    return bytes("badge.png")
  end
  local manager = assert(sdimage.manager({ loaders = { mine = load } }))
  local url = fresh("shared"):gsub("^http", "mine")
  assert(manager:load(url))
  assert(manager:flush())
  expect(assert(manager:load(url, { cache_policy = "skip_memory_read" })).source, "disk")
  expect(asked, 1)
  manager:close()
end)

test("a load by a function waits for its store", function()
  local folder = harness.new_folder()
  local cache = assert(sdimage.cache({ directory = folder }))
  local manager = assert(sdimage.manager({ cache = cache, loaders = { mine = function() return bytes("aurora.jpg") end } }))
  for index = 1, 10 do
    assert(manager:load("mine:" .. index, { wait_for_store = true }))
    -- A cache of its own finds committed entries only.
    local other = assert(sdimage.cache({ directory = folder }))
    expect(other:contains("mine:" .. index), "disk")
    other:close()
  end
  manager:close()
  cache:close()
end)

test("a switched-off network holds for functions, too", function()
  local asked = 0
  local function load()
    asked = asked + 1
    return bytes("badge.png")
  end
  local loaders = { http = load, https = load, mine = load }
  local manager = assert(sdimage.manager({ cache = false, loaders = loaders }))
  manager:set_offline(true)
  for _, policy in ipairs({ "any", "loader_only" }) do
    for _, url in ipairs({ "http://a/b.png", "HTTPS://a/b.png" }) do
      local _, failure = manager:load(url, { source_policy = policy })
      expect(failure.code .. " " .. failure.url .. " " .. tostring(failure.transient), "OFFLINE " .. url .. " true")
    end
  end
  expect(asked, 0)
  assert(manager:load("mine:a"))
  manager:set_offline(false)
  assert(manager:load("http://a/b.png"))
  manager:close()
end)

test("a load whose function works counts as running", function()
  local manager, inner
  manager = assert(sdimage.manager({ cache = false, loaders = { mine = function()
    inner = assert(manager:start(fresh("badge.png", "fault=hang")))
    return nil, select(2, inner:wait())
  end } }))
  local task = assert(manager:start("mine:a", { source_policy = "loader_only" }))
  expect(manager:running_count(), 2)
  inner:cancel()
  expect(code(task:wait()), "CANCELLED")
  expect(manager:running_count(), 0)
  manager:close()
end)

test("a signature is ignored also in the key of a function", function()
  local cache, asked = assert(sdimage.cache({ memory_only = true })), 0
  local function load()
    asked = asked + 1
    return bytes("badge.png")
  end
  local manager = assert(sdimage.manager({ cache = cache, ignore_signatures = true, loaders = { https = load } }))
  for _, signature in ipairs({ "a", "b" }) do assert(manager:load("https://a/b.png?Signature=" .. signature)) end
  expect(asked, 1)
  manager:close()
  cache:close()
end)
