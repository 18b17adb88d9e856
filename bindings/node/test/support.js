'use strict';

const fs = require('fs');
const os = require('os');
const path = require('path');
const sdimage = require('..');

const ORIGIN = process.env.ORIGIN;
const PICTURES = process.env.PICTURES;

let serial = 0;

/** A URL of the origin that no other test uses. */
const fresh = (name, query = '') => `${ORIGIN}${name}?test=${process.pid}-${++serial}${query && `&${query}`}`;
const bytes = (name) => fs.readFileSync(path.join(PICTURES, name));
const hits = async (name) => (await (await fetch(`${ORIGIN}_counters`)).json()).paths[name] ?? 0;
/** A new folder, removed when the process ends. */
const folder = () => {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'sdimage-node-'));
  process.on('exit', () => fs.rmSync(made, { recursive: true, force: true }));
  return made;
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Bytes of pixels in use, by the library's own count. */
function livePixels() {
  return Number(/^sdimage_pixel_bytes\{state="live"\} (.*)$/m.exec(sdimage.metrics())[1]);
}

/** Collects until at most so many handles are held, or for a time. */
async function settled(wanted, milliseconds = 60000) {
  for (const end = Date.now() + milliseconds; sdimage.liveHandles() > wanted && Date.now() < end;) {
    global.gc();
    await turn();
  }
  return sdimage.liveHandles();
}

/** A loader of aurora.jpg, which is progressive: it returns a part, and the rest after open(). */
function gated() {
  const file = bytes('aurora.jpg');
  let open;
  const gate = new Promise((resolve) => (open = resolve));
  const loader = new sdimage.Loader(async function* ({ signal, expect }) {
    signal.addEventListener('abort', open);
    expect(file.length);
    yield file.subarray(0, 20000);
    await gate;
    yield file.subarray(20000);
  }, { schemes: 'gated' });
  return { open, manager: new sdimage.Manager({ cache: null, loaders: loader }), length: file.length };
}

module.exports = { gated, sdimage, ORIGIN, fresh, bytes, hits, folder, turn, livePixels, settled };
