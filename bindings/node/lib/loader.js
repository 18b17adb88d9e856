'use strict';
// Loaders from async functions. Requests arrive through the event loop of the thread that created the loader.

const native = require('./native');
const { SdimageError } = require('./errors');
const { Image } = require('./image');
const options = require('./options');

const functions = new WeakMap(); // by Loader, which a function may refer to
const loaders = new Map(); // WeakRefs by number: the addon holds no reference
const working = new Map(); // AbortController by sink
const collected = new FinalizationRegistry((number) => loaders.delete(number));
let last = 0;

/** Fetches bytes from any source. */
class Loader {
  #handle;

  /**
   * @param load async (request) => bytes, an (async) iterable of bytes, or an Image. @param schemes none means every
   * URL.
   */
  constructor(load, { schemes = [] } = {}) {
    if (typeof load !== 'function') throw new TypeError('loader: function expected');
    const number = ++last;
    this.#handle = native.loaderNew(number, [].concat(schemes).map((scheme) => `${scheme}:`));
    functions.set(this, load);
    loaders.set(number, new WeakRef(this));
    collected.register(this, number);
  }

  get handle() {
    return this.#handle;
  }
}

function isBytes(value) {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

async function give(sink, loaded) {
  if (loaded instanceof Image) return native.sinkFinishWithImage(sink, loaded.handle);
  if (isBytes(loaded)) {
    native.sinkWrite(sink, loaded);
  } else if (loaded?.[Symbol.asyncIterator] || (typeof loaded === 'object' && loaded?.[Symbol.iterator])) {
    for await (const piece of loaded) native.sinkWrite(sink, piece);
  } else {
    throw new SdimageError('INTERNAL_ERROR', 'loader: neither bytes nor an image returned');
  }
  return native.sinkFinish(sink);
}

/** The message of a thrown value; any value can be thrown. */
function wordsOf(error) {
  try {
    return String(error?.message ?? error);
  } catch {
    return 'loader: exception without text';
  }
}

async function asked(number, url, sink, id) {
  const controller = new AbortController();
  working.set(id, controller);
  try {
    const load = functions.get(loaders.get(number)?.deref());
    if (!load) throw new SdimageError('SHUTDOWN', 'loader: already released');
    const expect = (length) => native.sinkExpect(sink, options.u53('length', length));
    const request = { url, signal: controller.signal, expect };
    await give(sink, await load(request));
  } catch (error) {
    const code = controller.signal.aborted ? 'CANCELLED' : error instanceof SdimageError ? error.code : 'INTERNAL_ERROR';
    native.sinkFail(sink, native.statuses[code] ?? native.statuses.INTERNAL_ERROR, wordsOf(error));
  } finally {
    working.delete(id);
    native.release(sink);
  }
}

/** Called when no caller is waiting for a load any longer. */
function dropped(id) {
  working.get(id)?.abort(new SdimageError('CANCELLED', 'task: cancelled'));
}

module.exports = { Loader, asked, dropped };
