'use strict';

const native = require('./native');
const options = require('./options');
const { SdimageError } = require('./errors');
const { Image } = require('./image');

/** Converts the error NOT_FOUND to null. */
async function orNull(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof SdimageError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/** A memory and a disk cache. Functions that may touch the disk return a promise. */
class Cache {
  #handle;
  #closing = null;

  constructor(choices) {
    this.#handle = native.cacheNew(options.cache(choices));
  }

  get handle() {
    if (!this.#handle) throw new SdimageError('SHUTDOWN', 'cache: closed');
    return this.#handle;
  }

  /** The image in memory, or null. */
  memoryImage(key) {
    const fields = native.cacheMemoryImage(this.handle, options.key(key));
    return fields && new Image(fields);
  }

  setMemoryImage(key, image) {
    native.cacheSetMemoryImage(this.handle, options.key(key), image.handle);
  }

  /** The image, from memory or decoded from disk; null when there is none. */
  async image(key, choices) {
    const fields = await orNull(this.#job('cacheImage', { key: options.key(key), decode: options.decode(choices) }));
    return fields && new Image(fields);
  }

  /** The bytes of an entry, in a Buffer; null when there is none. */
  async data(key) {
    return orNull(this.#job('cacheData', { key: options.key(key) }));
  }

  /** Stores an image, bytes, or both; resolves when they are committed. */
  async store(key, { image, data, layers = 'all', ...choices }) {
    return this.#job('cacheStore', {
      key: options.key(key), image: image?.handle, bytes: data, number: options.layers(layers), encode: options.encode(choices),
    });
  }

  /** "none", "disk", "memory" or "all". */
  async contains(key) {
    return options.layersName(await this.#job('cacheContains', { key: options.key(key) }));
  }

  async remove(key, layers = 'all') {
    return this.#job('cacheRemove', { key: options.key(key), number: options.layers(layers) });
  }

  async clear(layers = 'all') {
    return this.#job('cacheClear', { number: options.layers(layers) });
  }

  /** Resolves when all earlier stores are committed. */
  async flush() {
    return this.#job('cacheFlush', {});
  }

  /** { bytes, count } on disk. */
  async diskTotals() {
    return this.#job('cacheTotals', {});
  }

  /** Commits pending stores and closes the disk part; later calls fail with SHUTDOWN. Repeated calls are harmless. */
  async close() {
    return (this.#closing ??= this.#shut());
  }

  async #shut() {
    const handle = this.#handle;
    try {
      await this.#job('cacheClose', {});
    } finally {
      this.#handle = null;
      native.release(handle);
    }
  }

  #job(name, inputs) {
    return native.job(name, { cache: this.handle, ...inputs });
  }
}

module.exports = { Cache };
