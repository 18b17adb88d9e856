'use strict';

const assert = require('assert');
const { test } = require('node:test');
const { sdimage, bytes, fresh } = require('./support');

const { Image, Loader, Manager, SdimageError } = sdimage;
const managerOf = (load, schemes = 'mine') => new Manager({ cache: null, loaders: [new Loader(load, { schemes })] });

test('a loader is an async function that gives bytes; other schemes are not its', async () => {
  const asked = [];
  const manager = managerOf(async ({ url }) => {
    asked.push(url);
    return bytes('badge.png');
  });
  const result = await manager.load('mine:badge');
  assert.deepStrictEqual([result.source, result.image.format, asked], ['loader', 'png', ['mine:badge']]);
  assert.strictEqual((await manager.load(fresh('badge.png'))).source, 'network');
  assert.deepStrictEqual(asked.length, 1);
  await manager.close();
});

test('a loader one of whose schemes is no text is none for all URLs', () => {
  const native = require('../lib/native');
  assert.throws(() => native.loaderNew(1000, [5]), { code: 'INVALID_ARGUMENT' });
});

test('a loader gives a picture', async () => {
  const manager = managerOf(async () => Image.fromPixels(2, 1, 'gray8', Uint8Array.of(1, 2)));
  assert.deepStrictEqual([...(await manager.load('mine:a')).image.row(0)], [1, 2]);
  await manager.close();
});

test('what a loader throws is the error of the load', async () => {
  const manager = managerOf(async ({ url }) => {
    if (url === 'mine:own') throw new SdimageError('PERMISSION_DENIED', 'not for you');
    if (url === 'mine:odd') return 'no bytes';
    if (url === 'mine:half') return (function* () { yield 3; })();
    throw new Error('oh');
  });
  await assert.rejects(manager.load('mine:own'), { code: 'PERMISSION_DENIED', message: 'not for you' });
  await assert.rejects(manager.load('mine:odd'), { code: 'INTERNAL_ERROR' });
  await assert.rejects(manager.load('mine:half'), { code: 'INTERNAL_ERROR' });
  await assert.rejects(manager.load('mine:else'), { code: 'INTERNAL_ERROR', message: 'oh' });
  await manager.close();
});

test('a loader may throw anything', async () => {
  const thrown = [Object.create(null), undefined, { get message() { throw new Error('no'); } }, Symbol('s')];
  const manager = managerOf(async ({ url }) => {
    throw thrown[url.slice(-1)];
  });
  for (const index of thrown.keys()) await assert.rejects(manager.load(`mine:${index}`), { code: 'INTERNAL_ERROR' });
  await assert.rejects(manager.load('mine:0'), { message: 'loader: exception without text' });
  await manager.close();
});

test('a loader is aborted when no caller is waiting', async () => {
  const controller = new AbortController();
  const told = new Promise((resolve) => {
    const manager = managerOf(async ({ signal }) => {
      signal.addEventListener('abort', () => resolve(signal.reason));
      controller.abort();
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    manager.load('mine:a', { signal: controller.signal }).catch(() => {});
  });
  assert.strictEqual((await told).code, 'CANCELLED');
});

test('loads of one URL share what a loader gives', { timeout: 600000 }, async () => {
  const file = bytes('badge.png'), joined = new Set();
  let calls = 0, open;
  const gate = new Promise((resolve) => (open = resolve));
  const manager = managerOf(async function* () {
    calls++;
    yield file.subarray(0, 1000);
    await gate;
    yield file.subarray(1000);
  });
  // A load that joins another one receives its progress.
  const load = (_, number) => manager.load('mine:a', { onProgress: () => joined.add(number).size === 20 && open() });
  await Promise.all(Array.from({ length: 20 }, load));
  assert.strictEqual(calls, 1);
  await manager.close();
});
