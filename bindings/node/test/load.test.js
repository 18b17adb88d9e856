'use strict';

const assert = require('assert');
const fs = require('fs');
const http = require('http');
const { test } = require('node:test');
const { sdimage, gated, fresh, bytes, hits, folder, ORIGIN } = require('./support');

const { Cache, Loader, Manager, SdimageError, Task } = sdimage;

test('a picture comes from the network, then from memory, then from the disk', async () => {
  const directory = folder();
  const url = fresh('balloons.jpg');
  let cache = new Cache({ directory });
  let manager = new Manager({ cache });
  const before = await hits('balloons.jpg');
  const first = await manager.load(url, { waitForStore: true });
  assert.strictEqual(first.source, 'network');
  assert.strictEqual(first.kind, 'final');
  assert.deepStrictEqual(Buffer.compare(first.data, bytes('balloons.jpg')), 0);
  assert.strictEqual((await manager.load(url)).source, 'memory');
  await manager.close();
  await cache.close();
  cache = new Cache({ directory });
  manager = new Manager({ cache });
  assert.strictEqual((await manager.load(url)).source, 'disk');
  assert.strictEqual(await hits('balloons.jpg'), before + 1);
  await manager.close();
  await cache.close();
  fs.rmSync(directory, { recursive: true });
});

test('a memory hit is the result before start returns', async () => {
  const manager = new Manager({ cache: new Cache({ memoryOnly: true }) });
  const url = fresh('badge.png');
  await manager.load(url);
  const task = manager.start(url);
  assert.strictEqual(task.result.source, 'memory');
  await task.finished;
  await manager.close();
});

test('a thumbnail has the size asked for and knows that of its source', async () => {
  const manager = new Manager({ cache: null });
  const { image } = await manager.load(fresh('aurora.jpg'), { thumbnailSize: [200, 200] });
  assert.deepStrictEqual([image.width, image.height, image.sourceWidth, image.sourceHeight], [200, 125, 1000, 625]);
  assert.ok(image.isThumbnail);
  await manager.close();
});

test('bytes of a result may be written to', async () => {
  const file = bytes('orbits.gif');
  const cache = new Cache({ directory: folder() });
  const manager = new Manager({ cache, loaders: new Loader(async () => file, { schemes: 'mine' }) });
  const options = { includeData: true };
  const [first, second] = await Promise.all([manager.load('mine:a', options), manager.load('mine:a', options)]);
  first.data.fill(0);
  assert.ok(second.data.equals(file));
  await manager.flush();
  (await cache.data('mine:a')).fill(0);
  assert.ok((await cache.data('mine:a')).equals(file));
  // Encoding an unchanged animation returns its original bytes.
  (await second.image.encode('gif')).fill(0);
  second.image.encodeSync('gif').fill(0);
  assert.strictEqual((await second.image.frame(8)).width, second.image.width);
  await cache.clear('memory');
  const third = await manager.load('mine:a', options);
  third.data.fill(0);
  assert.strictEqual(third.source, 'disk');
  assert.ok((await cache.data('mine:a')).equals(file));
  await manager.close();
  await cache.close();
});

test('the cache policy of a load counts', async () => {
  const manager = new Manager({ cache: new Cache({ memoryOnly: true }) });
  const url = fresh('badge.png');
  const cached = () => manager.load(url, { sourcePolicy: 'cache-only' });
  await manager.load(url, { cachePolicy: 'none' });
  assert.strictEqual((await cached()).image, null);
  const reloaded = { cachePolicy: ['skip-memory-read', 'skip-disk-read'] };
  await manager.load(url, reloaded);
  assert.strictEqual((await manager.load(url, reloaded)).source, 'network');
  assert.strictEqual((await cached()).source, 'memory');
  assert.throws(() => manager.start(url, { cachePolicy: ['none', 'nothing'] }), TypeError);
  await manager.close();
});

test('a load without onProgress has one event', async () => {
  const manager = new Manager({ cache: null });
  const { deliver } = Task.prototype;
  let events = 0;
  Task.prototype.deliver = function (...values) {
    events++;
    return deliver.apply(this, values);
  };
  try {
    const { image } = await manager.load(fresh('aurora.jpg', 'kbps=100'));
    assert.deepStrictEqual([image.width, events], [1000, 1]);
  } finally {
    Task.prototype.deliver = deliver;
  }
  await manager.close();
});

test('progress and parts come by callbacks, in order, before the final result', { timeout: 600000 }, async () => {
  const { manager, open, length } = gated();
  const told = [];
  // The final result replaces reports that are not delivered yet.
  const tell = (news) => {
    told.push(news);
    if (told.includes('partial') && told.some(([received]) => received > 0)) open();
  };
  const result = await manager.load('gated:a', {
    progressiveIntervalMs: 1,
    onProgress: (received, expected) => tell([received, expected]),
    onPartial: (partial) => tell(partial.kind),
  });
  assert.ok(told.includes('partial'));
  // Undelivered progress reports are merged: the exact numbers are unspecified.
  assert.ok(told.some(([received]) => received > 0), `${told}`);
  let before = 0;
  for (const [received, expected] of told.filter(Array.isArray)) {
    assert.ok(received >= before && (received === 0 || expected === length), `${told.join(' ')}`);
    before = received;
  }
  assert.strictEqual(result.image.isIncremental, false);
  await manager.close();
});

test('a stream gives parts and then the final result; leaving it cancels', { timeout: 600000 }, async () => {
  const kinds = [];
  const whole = gated();
  for await (const result of whole.manager.stream('gated:a', { progressiveIntervalMs: 1 })) {
    kinds.push(result.kind);
    whole.open();
  }
  assert.strictEqual(kinds.at(-1), 'final');
  assert.ok(kinds.length > 1 && kinds.slice(0, -1).every((kind) => kind === 'partial'), `${kinds}`);
  const left = gated();
  for await (const result of left.manager.stream('gated:b', { progressiveIntervalMs: 1 })) {
    assert.strictEqual(result.kind, 'partial');
    break;
  }
  await left.manager.close();
  await assert.rejects(async () => {
    for await (const _ of whole.manager.stream(fresh('none.png'))) assert.fail();
  }, { code: 'HTTP_STATUS' });
  await whole.manager.close();
});

test('an AbortSignal cancels, before and during a load', async () => {
  const manager = new Manager({ cache: null });
  const controller = new AbortController();
  const load = manager.load(fresh('badge.png', 'fault=hang'), { signal: controller.signal });
  setImmediate(() => controller.abort(new Error('enough')));
  await assert.rejects(load, (error) => {
    assert.ok(error instanceof SdimageError);
    assert.strictEqual(error.code, 'CANCELLED');
    assert.strictEqual(error.cause.message, 'enough');
    return true;
  });
  const before = await hits('leaf.webp');
  await assert.rejects(manager.load(fresh('leaf.webp'), { signal: AbortSignal.abort() }), { code: 'CANCELLED' });
  assert.strictEqual(await hits('leaf.webp'), before);
  assert.strictEqual(manager.runningCount, 0);
  await manager.close();
});

test('the priority of a load changes', async () => {
  const manager = new Manager({ cache: null });
  assert.strictEqual(manager.start(fresh('badge.png')).priority, 'normal');
  const task = manager.start(fresh('badge.png', 'fault=hang'), { priority: 'low' });
  assert.strictEqual(task.priority, 'low');
  task.priority = 'high';
  assert.strictEqual(task.priority, 'high');
  for (const wrong of ['urgent', 1, null, undefined]) assert.throws(() => (task.priority = wrong), TypeError);
  task.cancel();
  await assert.rejects(task.finished, { code: 'CANCELLED' });
  assert.strictEqual(task.priority, 'high');
  task.priority = 'low';
  assert.strictEqual(task.priority, 'low');
  const refused = manager.start(fresh('badge.png'), { priority: 'high', signal: AbortSignal.abort() });
  assert.strictEqual(refused.priority, 'high');
  await assert.rejects(refused.finished, { code: 'CANCELLED' });
  await manager.close();
});

test('flushing completes what is still being encoded', async () => {
  const directory = folder();
  const cache = new Cache({ directory });
  const manager = new Manager({ cache });
  const names = ['badge.png', 'aurora.jpg', 'leaf.webp'];
  await Promise.all(names.map((name) => manager.load(fresh(name), { thumbnailSize: [64, 64] })));
  await manager.flush({ timeoutMs: 120000 });
  assert.strictEqual((await cache.diskTotals()).count, 2 * names.length); // originals and thumbnails
  for (const timeoutMs of [-1, 2 ** 32, 0.5]) await assert.rejects(manager.flush({ timeoutMs }), RangeError);
  await assert.rejects(manager.flush({ timeout: 1 }), TypeError);
  await manager.flush();
  await cache.close();
  await assert.rejects(manager.flush(), { code: 'SHUTDOWN' });
  await manager.close();
  await assert.rejects(manager.flush(), { code: 'SHUTDOWN' });
  fs.rmSync(directory, { recursive: true });
});

// Encodes four thumbnails while a manager is closed; returns the number of entries, and whether closing took less than the two
// seconds after which it leaves encodes unfinished, as on a busy machine.
async function entriesAfterClosing() {
  const cache = new Cache({ directory: folder() });
  const manager = new Manager({ cache });
  const urls = Array.from({ length: 4 }, () => fresh('aurora.jpg'));
  await Promise.all(urls.map((url) => manager.load(url, { thumbnailSize: [850, 550] })));
  const started = performance.now();
  await manager.close();
  const isComplete = performance.now() - started < 2000;
  await cache.flush();
  const { count } = await cache.diskTotals();
  await cache.close();
  return { count, isComplete };
}

test('closing completes what is still being encoded', async () => {
  let found = await entriesAfterClosing();
  for (let attempt = 1; attempt < 10 && !found.isComplete; attempt++) found = await entriesAfterClosing();
  assert.strictEqual(found.count, 2 * 4); // originals and thumbnails
});

test('errors have codes, HTTP status and URL', async () => {
  const manager = new Manager({ cache: null });
  const url = fresh('none.png');
  await assert.rejects(manager.load(url), { name: 'SdimageError', code: 'HTTP_STATUS', httpStatus: 404, url, isTransient: false });
  await assert.rejects(manager.load(fresh('badge.png', 'fault=html')), { code: 'NOT_AN_IMAGE' });
  await assert.rejects(manager.load(''), { code: 'INVALID_URL' });
  await manager.close();
  assert.throws(() => manager.start(url), { code: 'SHUTDOWN' });
});

test('what was closed answers SHUTDOWN, and may be closed again', async () => {
  const cache = new Cache({ directory: folder() });
  const manager = new Manager({ cache });
  const image = (await manager.load(fresh('badge.png'))).image;
  await manager.close();
  await manager.close();
  await Promise.all([cache.close(), cache.close()]);
  await cache.close();
  const SHUTDOWN = { name: 'SdimageError', code: 'SHUTDOWN' };
  await assert.rejects(manager.load(fresh('badge.png')), SHUTDOWN);
  await assert.rejects(cache.data('k'), SHUTDOWN);
  await assert.rejects(cache.flush(), SHUTDOWN);
  const calls = [() => manager.start(fresh('badge.png')), () => manager.cancelAll(), () => manager.runningCount,
    () => cache.memoryImage('k'), () => cache.setMemoryImage('k', image), () => new Manager({ cache })];
  for (const call of calls) assert.throws(call, SHUTDOWN);
});

test('wrong options are refused before anything is loaded', () => {
  const manager = new Manager({ cache: null });
  assert.throws(() => manager.start(ORIGIN, { thumbnailsize: [1, 1] }), TypeError);
  assert.throws(() => manager.start(ORIGIN, { thumbnailSize: 3 }), TypeError);
  assert.throws(() => manager.start(ORIGIN, { thumbnailSize: [1.5, 2] }), RangeError);
  assert.throws(() => manager.start(ORIGIN, { priority: 'urgent' }), TypeError);
  for (const signal of [{}, 1, 'x', new AbortController()]) assert.throws(() => manager.start(ORIGIN, { signal }), /signal must be/);
  assert.strictEqual(manager.runningCount, 0);
  for (const cache of [{}, { handle: null }, true, false, 'x', 5]) assert.throws(() => new Manager({ cache }), /cache must be a Cache/);
});

test('what exceeds a safety limit is refused', async () => {
  const manager = new Manager({ cache: null });
  const { length } = bytes('balloons.jpg');
  for (const limit of [{ maxPixels: 1000 }, { maxBytes: 1000 }, { maxBodyBytes: length - 1 }])
    await assert.rejects(manager.load(fresh('balloons.jpg'), limit), { code: 'TOO_LARGE' });
  assert.ok((await manager.load(fresh('balloons.jpg'), { maxBodyBytes: length })).image);
  assert.throws(() => manager.start(ORIGIN, { maxBodyBytes: -1 }), RangeError);
  await assert.rejects(manager.load(fresh('ink-garden.jpg'), { maxWorkMs: 1 }), { code: 'TIMEOUT' });
  assert.ok((await manager.load(fresh('ink-garden.jpg'), { maxWorkMs: 600000 })).image);
  await manager.close();
});

test('header fields are sent, freshness asks again', async () => {
  const manager = new Manager({ cache: new Cache({ directory: folder() }) });
  const url = fresh('leaf.webp');
  await manager.load(url, { waitForStore: true });
  const kinds = [];
  const result = await manager.load(url, { freshness: 'refresh', onPartial: (cached) => kinds.push(cached.kind) });
  assert.deepStrictEqual(kinds, ['cached']);
  assert.strictEqual(result.isChanged, false);
  await assert.rejects(manager.load(url, { headers: { 'a\nb': 'c' }, sourcePolicy: 'loader-only' }), { code: 'INVALID_REQUEST' });
  manager.offline = true;
  await assert.rejects(manager.load(fresh('leaf.webp')), { code: 'OFFLINE' });
  await manager.close();
});

test('header fields are an object or pairs', async () => {
  const seen = [];
  const server = http.createServer((request, response) => {
    seen.push(request.headers['x-token']);
    response.end(bytes('badge.png'));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}/`;
  const manager = new Manager({ cache: null });
  const pairs = [['X-Token', 'a']];
  for (const headers of [{ 'X-Token': 'a' }, pairs, new Map(pairs), new Headers(pairs)])
    await manager.load(url + seen.length, { headers });
  assert.deepStrictEqual(seen, ['a', 'a', 'a', 'a']);
  for (const headers of ['X-Token', 5, true, ['X-Token: a'], ['ab'], [['X-Token']], [[5, 'a']]])
    assert.throws(() => manager.start(url, { headers }), TypeError);
  await manager.close();
  server.close();
  server.closeAllConnections();
});

test('the events of a manager tell of every load that ends', async () => {
  const manager = new Manager({ cache: null });
  const ended = [];
  manager.on('load', (task, result, error) => ended.push(result?.source ?? error.code));
  await manager.load(fresh('badge.png'));
  await manager.load(fresh('none.png')).catch(() => {});
  await manager.load(fresh('badge.png'), { signal: AbortSignal.abort() }).catch(() => {});
  // A manager that is closed at once still reports them.
  manager.start(fresh('badge.png'), { signal: AbortSignal.abort() });
  await manager.close();
  assert.deepStrictEqual(ended, ['network', 'HTTP_STATUS', 'CANCELLED', 'CANCELLED']);
  await manager.close();
});

test('a cache keeps pictures and bytes of its own', async () => {
  const cache = new Cache({ directory: folder() });
  const image = await sdimage.decode(bytes('badge.png'));
  await cache.store('k', { image, data: bytes('badge.png') });
  assert.strictEqual(await cache.contains('k'), 'all');
  assert.strictEqual(cache.memoryImage('k').width, image.width);
  await cache.clear('memory');
  assert.strictEqual(cache.memoryImage('k'), null);
  assert.strictEqual(await cache.contains('k'), 'disk');
  assert.strictEqual((await cache.image('k', { thumbnailSize: [10, 10] })).width, 10);
  assert.strictEqual(Buffer.compare(await cache.data('k'), bytes('badge.png')), 0);
  assert.strictEqual((await cache.diskTotals()).count, 1);
  await cache.remove('k');
  assert.strictEqual(await cache.data('k'), null);
  assert.strictEqual(await cache.image('k'), null);
  cache.setMemoryImage('m', image);
  assert.strictEqual(await cache.contains('m'), 'memory');
  await cache.flush();
  await cache.close();
  await assert.rejects(cache.data('k'), { code: 'SHUTDOWN' });
});
