'use strict';

const assert = require('assert');
const { test } = require('node:test');
const { sdimage, bytes, fresh } = require('./support');

const { Image, decode, decodeSync, info, sniff } = sdimage;

test('bytes are decoded, described and recognized', async () => {
  const image = await decode(bytes('balloons.jpg'), { thumbnailSize: [100, 100], pixelFormat: 'rgba8' });
  assert.strictEqual(image.pixelFormat, 'rgba8');
  assert.ok(image.width === 100 || image.height === 100);
  const header = info(bytes('balloons.jpg'));
  assert.deepStrictEqual([header.format, header.width], ['jpeg', image.sourceWidth]);
  assert.strictEqual(sniff(bytes('leaf.webp')), 'webp');
  assert.strictEqual(sniff(Buffer.from('<html>')), null);
  assert.throws(() => decodeSync(Buffer.from('<html>')), { code: 'NOT_AN_IMAGE' });
  await assert.rejects(decode(bytes('balloons.jpg').subarray(0, 5000)), { code: 'TRUNCATED' });
  await assert.rejects(decode('text'), TypeError);
});

test('a thumbnail fits its box by its mode', async () => {
  for (const [thumbnailMode, size] of Object.entries({ 'aspect-fit': [100, 63], fill: [100, 100], 'aspect-fill': [160, 100] })) {
    const image = await decode(bytes('aurora.jpg'), { thumbnailSize: [100, 100], thumbnailMode });
    assert.deepStrictEqual([image.width, image.height], size);
  }
  assert.throws(() => decodeSync(bytes('aurora.jpg'), { thumbnailMode: 'stretch' }), TypeError);
});

/**
 * A JPEG with a gain map (ISO 21496-1, annex C): the file is also its map, and both have the fields in their first segment:
 * fractions of 16.
 */
function withGainMap(file) {
  const numbers = Buffer.alloc(32);
  [16, 0, 32, 0, 48, 24, 1, 2].forEach((number, index) => numbers.writeUInt32BE(number, index * 4));
  const label = Buffer.from('\xff\xe2\0\x43urn:iso:std:iso:ts:21496:-1\0\0\0\0\0\x08', 'latin1');
  const marked = Buffer.concat([file.subarray(0, 2), label, numbers, file.subarray(2)]);
  return Buffer.concat([marked, marked]);
}

test('a rendition has the headroom asked for', async () => {
  const file = withGainMap(bytes('balloons.jpg'));
  for (const [options, ...expected] of [
    [{}, 'rgb8', 0, 0],
    [{ dynamicRange: 'automatic' }, 'rgb8', 0, 0],
    [{ dynamicRange: 'automatic', displayHeadroom: 1.5 }, 'rgba_float', 1.5, 2],
    [{ dynamicRange: 'hdr' }, 'rgba_float', 2, 2],
  ]) {
    const image = await decode(file, { thumbnailSize: [100, 100], ...options });
    assert.deepStrictEqual([image.pixelFormat, image.headroom, image.contentHeadroom], expected);
  }
  assert.throws(() => decodeSync(file, { dynamicRange: 'bright' }), TypeError);
  assert.throws(() => decodeSync(file, { displayHeadroom: '2' }), TypeError);
});

test('a gain map is kept, applied and written', async () => {
  const kept = await decode(withGainMap(bytes('balloons.jpg')), { keepGainMap: true });
  assert.deepStrictEqual([kept.pixelFormat, kept.contentHeadroom], ['rgb8', 2]);
  for (const [stops, headroom] of [[0, 0], [1.5, 1.5], [undefined, 2]]) {
    assert.strictEqual((await kept.applyGainMap(stops)).headroom, headroom);
  }
  for (const embedGainMap of [true, false]) {
    const written = await decode(await kept.encode('jpeg', { embedGainMap }), { dynamicRange: 'hdr' });
    assert.strictEqual(written.headroom === 2, embedGainMap);
    await assert.rejects(written.applyGainMap(1), { code: 'UNSUPPORTED' });
  }
  await assert.rejects(kept.applyGainMap('2'), TypeError);
});

test('numbers that do not fit and text with a NUL are refused', async () => {
  const pixel = new Uint8Array(4);
  const image = Image.fromPixels(1, 1, 'rgba8', pixel);
  const manager = new sdimage.Manager({ cache: null });
  for (const number of [-1, 0.5, 2 ** 64, 1e300, NaN, Infinity, '2']) {
    assert.throws(() => Image.fromPixels(number, 1, 'rgba8', pixel), RangeError, `width ${number}`);
    assert.throws(() => Image.fromPixels(1, number, 'rgba8', pixel), RangeError, `height ${number}`);
    assert.throws(() => Image.fromPixels(1, 1, 'rgba8', pixel, number), RangeError, `stride ${number}`);
    assert.throws(() => decodeSync(pixel, { thumbnailSize: [number, 1] }), RangeError, `thumbnail ${number}`);
    assert.throws(() => decodeSync(pixel, { maxBytes: number }), RangeError, `maxBytes ${number}`);
    assert.throws(() => new sdimage.Cache({ memoryOnly: true, maxMemoryCost: number }), RangeError, `maxMemoryCost ${number}`);
    assert.throws(() => manager.start('data:,', { timeoutMs: number }), RangeError, `timeoutMs ${number}`);
    await assert.rejects(image.frame(number), RangeError, `frame ${number}`);
  }
  assert.throws(() => new sdimage.Cache({ memoryOnly: true, maxDiskAge: 1e300 }), RangeError);
  assert.throws(() => Image.fromPixels(2 ** 32 + 1, 1, 'rgba8', pixel), RangeError);
  assert.throws(() => new sdimage.Cache({ directory: 'a\0b' }), TypeError);
  assert.throws(() => new sdimage.Cache({ namespace: 'a\0b' }), TypeError);
  assert.throws(() => manager.start('data:,', { headers: { 'a\0b': 'c' } }), TypeError);
  assert.throws(() => manager.start('data:,', { headers: { a: 'b\0c' } }), TypeError);
  manager.close();
});

test('arguments that are missing or of another type are refused', async () => {
  const image = Image.fromPixels(1, 2, 'gray8', Uint8Array.of(1, 2));
  for (const y of [undefined, '0', 0.25, -1, 2]) assert.throws(() => image.row(y), RangeError);
  assert.deepStrictEqual([...image.row(1)], [2]);
  for (const wrong of [undefined, null, 5, 'text', {}]) {
    await assert.rejects(decode(wrong), /bytes must be/);
    assert.throws(() => decodeSync(wrong), /bytes must be/);
  }
  const cache = new sdimage.Cache({ memoryOnly: true });
  for (const key of [5, undefined, null, {}]) {
    assert.throws(() => cache.memoryImage(key), TypeError);
    assert.throws(() => cache.setMemoryImage(key, image), TypeError);
    for (const call of ['image', 'data', 'contains', 'remove']) await assert.rejects(cache[call](key), TypeError);
    await assert.rejects(cache.store(key, { image }), TypeError);
  }
  await cache.close();
  const made = (...values) => () => Image.fromPixels(...values);
  assert.throws(made(0, 0, 'gray8', Uint8Array.of(1)), { code: 'INVALID_ARGUMENT', message: /size is 0/ });
  assert.throws(made(2, 1, 'gray8', Uint8Array.of(1, 2), 1), { code: 'INVALID_ARGUMENT', message: /stride/ });
  assert.throws(made(2, 1, 'gray8', Uint8Array.of(1)), { code: 'INVALID_ARGUMENT', message: /too few bytes/ });
});

test('pixels are the library’s own memory and outlive their picture', async () => {
  const image = Image.fromPixels(3, 2, 'rgb8', Uint8Array.from({ length: 18 }, (_, index) => index));
  assert.deepStrictEqual([...image.row(1)], [9, 10, 11, 12, 13, 14, 15, 16, 17]);
  const pixels = image.pixels;
  assert.strictEqual(image.pixels, pixels);
  image.close();
  global.gc();
  assert.strictEqual(new Uint8Array(pixels)[image.stride + 3], 12);
  assert.throws(() => Image.fromPixels(3, 3, 'rgb8', new Uint8Array(26)), { code: 'INVALID_ARGUMENT' });
});

test('an image is made of pixels in any format that images have', () => {
  const formats = {
    gray8: 1, rgb8: 3, rgba8: 4, rgba8_premultiplied: 4, bgra8_premultiplied: 4, gray16: 2, rgb16: 6, rgba16: 8, rgba_float: 16,
  };
  for (const [format, bytes] of Object.entries(formats)) {
    const image = Image.fromPixels(2, 2, format, new Uint8Array(4 * bytes));
    assert.deepStrictEqual([image.pixelFormat, image.row(1).length], [format, 2 * bytes]);
  }
  // Options of decodes, which no image has.
  for (const format of ['automatic', 'native']) {
    assert.throws(() => Image.fromPixels(2, 2, format, new Uint8Array(64)), { code: 'INVALID_ARGUMENT' }, format);
  }
});

test('one picture can be seen through several buffers at once', async () => {
  const manager = new sdimage.Manager({ cache: new sdimage.Cache({ memoryOnly: true }) });
  const url = fresh('badge.png');
  await manager.load(url);
  const views = [];
  for (let index = 0; index < 20; index++) views.push((await manager.load(url)).image.pixels);
  for (const view of views) assert.strictEqual(new Uint8Array(view)[0], new Uint8Array(views[0])[0]);
  await manager.close();
});

test('pictures are encoded, and what was encoded without loss is what it was', async () => {
  const image = await decode(bytes('badge.png'));
  const again = await decode(await image.encode('webp', { lossless: true }));
  const [one, two] = await Promise.all([image.convert('rgba8'), again.convert('rgba8')]);
  for (let y = 0; y < one.height; y += 17)
    for (let x = 0; x < one.width; x++) {
      const [before, after] = [one.row(y).subarray(x * 4, x * 4 + 4), two.row(y).subarray(x * 4, x * 4 + 4)];
      if (before[3]) assert.deepStrictEqual(after, before);
    }
  assert.strictEqual(sniff(image.encodeSync('jpeg', { quality: 0.5, maxPixelSize: [32, 32] })), 'jpeg');
  await assert.rejects(image.encode('jpeg', { quality: 7 }), { code: 'INVALID_ARGUMENT' });
  assert.throws(() => image.encodeSync('tga'), TypeError);
});

test('an animation gives any of its frames', async () => {
  const image = await decode(bytes('orbits.gif'));
  assert.ok(image.frameCount > 1 && image.durationMs > 0);
  const frame = await image.frame(image.frameCount - 1);
  assert.deepStrictEqual([frame.width, frame.frameCount], [image.width, 1]);
  await assert.rejects(image.frame(image.frameCount), { code: 'INVALID_ARGUMENT' });
});

test('bytes may change while they are decoded', async () => {
  const buffer = new Uint8Array(bytes('balloons.jpg')).buffer;
  const decoding = decode(buffer);
  structuredClone(buffer, { transfer: [buffer] });
  assert.ok((await decoding).width > 0);
});

test('the types name what the package exports', () => {
  const types = require('fs').readFileSync(require('path').join(__dirname, '../index.d.ts'), 'utf8');
  const declared = [...types.matchAll(/^export (?:class|function) (\w+)/gm)].map((match) => match[1]);
  assert.deepStrictEqual([...new Set(declared)].sort(), Object.keys(sdimage).sort());
  for (const name of ['Manager', 'Cache', 'Task', 'Image']) {
    const body = types.slice(types.indexOf(`export class ${name} `)).split('\n}')[0];
    const methods = Object.getOwnPropertyNames(sdimage[name].prototype);
    for (const [, method] of body.matchAll(/^  (?:readonly )?(\w+)\(/gm))
      assert.ok(method === 'constructor' || methods.includes(method), `${name}.${method}`);
  }
});
