'use strict';
// Leaks of handles, pixels, processes and threads.

const assert = require('assert');
const { spawnSync } = require('child_process');
const { test } = require('node:test');
const { Worker } = require('worker_threads');
const { sdimage, folder, fresh, livePixels, settled, ORIGIN } = require('./support');

const { Cache, Image, Loader, Manager } = sdimage;
const root = JSON.stringify(require.resolve('..'));

// Few bytes, but many pixels: the library counts large bitmaps only.
const flat = Image.fromPixels(512, 512, 'gray8', new Uint8Array(512 * 512).fill(77)).encodeSync('png').toString('base64');

/** In a separate function: objects on the stack of a running one are not collected. */
async function hundred(manager, round) {
  const loads = Array.from({ length: 100 }, (_, index) =>
    manager.load(`data:image/png;base64,${flat}`, { cacheKey: `${round}-${index}` }));
  for (const { image } of await Promise.all(loads)) assert.strictEqual(image.row(7)[7], 77);
}

test('thousands of loads leave nothing behind', async () => {
  const [handles, pixels] = [await settled(0, 1000), livePixels()];
  const cache = new Cache({ memoryOnly: true, maxMemoryCount: 50 });
  const manager = new Manager({ cache });
  for (let round = 0; round < 30; round++) await hundred(manager, round);
  assert.strictEqual(manager.runningCount, 0);
  await manager.close();
  await cache.close();
  assert.ok((await settled(handles)) <= handles);
  // A thread of the library may hold the last image for a moment.
  for (let tries = 0; tries < 10000 && livePixels() > pixels; tries++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(livePixels() <= pixels, `${pixels} bytes before, ${livePixels()} after`);
});

test('a storm of cancellations ends every load once', async () => {
  const handles = await settled(0, 1000);
  const manager = new Manager({ cache: null });
  const ended = new Map();
  manager.on('load', (task) => ended.set(task, (ended.get(task) ?? 0) + 1));
  const loads = [];
  for (let index = 0; index < 500; index++) {
    const controller = new AbortController();
    loads.push(manager.load(fresh('badge.png', index % 3 ? 'delay_ms=20' : ''), { signal: controller.signal }));
    if (index % 4) setTimeout(() => controller.abort(), index % 17);
  }
  const outcomes = await Promise.allSettled(loads);
  assert.ok(outcomes.every(({ status, reason }) => status === 'fulfilled' || reason.code === 'CANCELLED'));
  assert.ok(outcomes.filter(({ status }) => status === 'fulfilled').length >= 125);
  assert.ok(ended.size === 500 && [...ended.values()].every((times) => times === 1));
  ended.clear();
  loads.length = outcomes.length = 0;
  await manager.close();
  assert.ok((await settled(handles)) <= handles);
});

/** An object with a manager whose loader refers to the object. */
async function circle() {
  const owner = { file: Buffer.from(flat, 'base64') };
  owner.manager = new Manager({ cache: null, loaders: async () => owner.file });
  assert.ok((await owner.manager.load('mine:a')).image);
  await owner.manager.close();
  return new WeakRef(owner);
}

test('a loader that refers to its manager is collected', async () => {
  const handles = await settled(0, 1000);
  const owners = await Promise.all(Array.from({ length: 20 }, circle));
  assert.ok((await settled(handles)) <= handles);
  assert.ok(owners.every((owner) => !owner.deref()));
});

test('closing ends what runs with SHUTDOWN', async () => {
  const manager = new Manager({ cache: null, loaders: [new Loader(() => new Promise(() => {}), { schemes: 'mine' })] });
  const loads = [manager.load('mine:never'), ...Array.from({ length: 20 }, () => manager.load(fresh('badge.png', 'fault=hang')))];
  const outcomes = Promise.allSettled(loads);
  let ended = 0;
  manager.on('load', () => ended++);
  const both = [manager.close(), manager.close()];
  await both[1];
  assert.strictEqual(ended, loads.length);
  await both[0];
  assert.ok((await outcomes).every(({ reason }) => reason.code === 'SHUTDOWN'));
});

/** Runs a separate program. */
function program(text, flags = [], env = process.env) {
  const script = `const { Cache, Loader, Manager } = require(${root}); const ORIGIN = ${JSON.stringify(ORIGIN)};\n${text}`;
  return spawnSync(process.execPath, [...flags, '-e', script], { encoding: 'utf8', timeout: 600000, env });
}

test('what does not fit into a Buffer is an error, and nothing is released twice', () => {
  const done = program(`const { Image } = require(${root}), lib = require('path').join(require('path').dirname(${root}), 'lib');
    const { fromNative } = require(lib + '/errors');
    require(lib + '/native').setup(() => {}, () => {}, () => {}, fromNative, 50); // as if more than 50 bytes were too much
    const image = Image.fromPixels(64, 64, 'gray8', new Uint8Array(4096));
    const before = require(lib + '/native').handles();
    const codes = [() => image.encodeSync('png'), () => image.pixels].map((call) => {
      try { return call().length; } catch (error) { return error.code; }
    });
    image.encode('png').catch((error) => codes.push(error.code)).finally(() => {
      console.log(...codes, require(lib + '/native').handles() - before);
    });`);
  assert.deepStrictEqual([done.status, done.stdout], [0, 'TOO_LARGE TOO_LARGE TOO_LARGE 0\n'], done.stderr);
});

test('a loader fails also where there is no memory for the error', { skip: !process.env.SDIMAGE_NODE_NO_ERRORS && 'the suite builds what refuses it' }, () => {
  const done = program(`const file = require('fs').readFileSync(process.env.PICTURES + '/badge.png');
    const manager = new Manager({ cache: null, loaders: async function* () { yield file; throw new Error('after all of it'); } });
    manager.load('mine:a').then(() => console.log('loaded'), (error) => console.log(error.name));`,
  [], { ...process.env, LD_PRELOAD: process.env.SDIMAGE_NODE_NO_ERRORS });
  assert.deepStrictEqual([done.status, done.stdout], [0, 'SdimageError\n'], done.stderr);
});

test('a manager without memory for its loaders is refused', { skip: !process.env.SDIMAGE_NODE_NO_CHAIN && 'the suite builds what refuses it' }, () => {
  const done = program(`try {
      new Manager({ cache: null, loaders: [new Loader(async () => {}, { schemes: 'mine' })] });
    } catch (error) { console.log(error.code); }`,
  [], { ...process.env, LD_PRELOAD: process.env.SDIMAGE_NODE_NO_CHAIN });
  assert.deepStrictEqual([done.status, done.stdout], [0, 'NO_MEMORY\n'], done.stderr);
});

test('a process ends by itself when nothing is pending, and waits while something is', () => {
  const done = program(`const manager = new Manager({ cache: null });
    manager.load(ORIGIN + 'badge.png?delay_ms=100').then(({ image }) => console.log(image.width > 0));`);
  assert.deepStrictEqual([done.status, done.signal, done.stdout], [0, null, 'true\n'], done.stderr);
});

test('a process that exits with loads pending just ends', () => {
  const done = program(`let finish;
    const loader = new Loader(() => new Promise((resolve) => { finish = resolve; }), { schemes: 'mine' });
    const manager = new Manager({ cache: null, loaders: [loader] });
    const name = 'pending-' + process.pid;
    for (let index = 0; index < 50; index++) manager.load(ORIGIN + name + '?fault=hang&index=' + index).catch(() => {});
    manager.load('mine:a');
    (async () => {
      const requests = async () => (await (await fetch(ORIGIN + '_counters')).json()).paths[name] ?? 0;
      while (!finish || await requests() < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      process.exit(7);
    })();`);
  assert.deepStrictEqual([done.status, done.signal], [7, null], done.stderr);
});

test('what a listener throws is an uncaught exception, and others are told all the same', () => {
  const done = program(`const file = require('fs').readFileSync(process.env.PICTURES + '/aurora.jpg');
    let open;
    const gate = new Promise((resolve) => (open = resolve));
    const manager = new Manager({ cache: null, loaders: async function* () { yield file.subarray(0, 9); await gate; yield file.subarray(9); } });
    process.on('uncaughtException', (error) => console.log(error.message));
    const task = manager.start('mine:a', { onProgress: () => { open(); throw new Error('thrown'); } });
    task.on('end', () => { throw new Error('at the end'); });
    manager.on('load', () => console.log('told'));
    task.finished.then(() => console.log('finished'));`);
  assert.strictEqual(done.status, 0, done.stderr);
  assert.match(done.stdout, /^(thrown\n)+/);
  for (const word of ['told', 'finished', 'at the end']) assert.ok(done.stdout.includes(word), done.stdout);
});

test('workers load by themselves, and end in the middle of loads', async () => {
  const code = `const { parentPort, workerData } = require('worker_threads');
    const { Loader, Manager } = require(${root});
    const manager = new Manager({ cache: null, loaders: [new Loader(async () => require('fs').readFileSync(workerData.file), { schemes: 'mine' })] });
    (async () => {
      for (let index = 0; index < 20; index++) await manager.load('mine:' + index, { thumbnailSize: [64, 64] });
      const { image } = await manager.load(workerData.url);
      parentPort.postMessage(image.pixels.byteLength);
      for (let index = 0; index < 20; index++) manager.load(workerData.url + '&fault=hang&index=' + index).catch(() => {});
      manager.load('mine:last').then(() => parentPort.postMessage('running'));
    })();`;
  const workers = Array.from({ length: 4 }, () => new Worker(code, {
    eval: true, workerData: { url: fresh('badge.png'), file: `${process.env.PICTURES}/badge.png` },
  }));
  await Promise.all(workers.map((worker) => new Promise((resolve, reject) => {
    worker.on('error', reject);
    worker.on('message', (message) => (message === 'running' ? resolve() : assert.ok(message > 0)));
  })));
  await Promise.all(workers.map((worker) => worker.terminate()));
  const manager = new Manager({ cache: null });
  assert.ok((await manager.load(fresh('badge.png'))).image);
  await manager.close();
});

test('workers end in the middle of everything, and the addon with the last of them', () => {
  const code = `const { Cache, Loader, Manager, decode } = require(${root});
    const file = require('fs').readFileSync(process.env.PICTURES + '/ember-sky-16.png');
    const cache = new Cache({ directory: process.argv[2] });
    const manager = new Manager({ cache: null, loaders: [new Loader(async function* () {
      for (;;) { yield file.subarray(0, 100); await new Promise((resolve) => setTimeout(resolve, 1)); }
    }, { schemes: 'mine' })] });
    for (let index = 0; index < 20; index++) {
      decode(file).then((image) => image.encode('webp')).catch(() => {});
      cache.store('key ' + index, { data: file }).catch(() => {});
      manager.load('mine:' + index).catch(() => {});
    }
    require('worker_threads').parentPort.postMessage('running');
    setTimeout(() => {}, 60000);`;
  // The main thread loads no addon.
  const script = `const { Worker } = require('worker_threads');
    (async () => {
      for (let round = 0; round < 4; round++) {
        const workers = [1, 2].map(() => new Worker(${JSON.stringify(code)}, { eval: true, argv: [${JSON.stringify(folder())}] }));
        await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
        await new Promise((resolve) => setTimeout(resolve, round * 20));
        await Promise.all(workers.map((worker) => worker.terminate()));
      }
      console.log('fine');
    })();`;
  const done = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 600000 });
  assert.deepStrictEqual([done.status, done.signal, done.stdout], [0, null, 'fine\n'], done.stderr);
});
