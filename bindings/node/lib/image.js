'use strict';

const native = require('./native');
const options = require('./options');

/** An image: immutable pixels and their properties. */
class Image {
  #handle;
  #pixels = null;

  /** For internal use: `fields` are those of the addon. */
  constructor(fields) {
    const { handle, ...values } = fields;
    this.#handle = handle;
    Object.assign(this, values, { pixelFormat: options.pixelFormatName(fields.pixelFormat) });
    Object.freeze(this);
  }

  /** An image with a copy of the given pixels: rows from top to bottom, `stride` bytes apart. */
  static fromPixels(width, height, pixelFormat, bytes, stride = null) {
    const number = options.pixelFormat(pixelFormat);
    const tight = options.u32('width', width) * native.pixelBytes(number);
    const distance = options.u53('stride', stride ?? tight);
    return new Image(native.imageNew(width, options.u32('height', height), distance, number, bytes));
  }

  /** The pixels as an ArrayBuffer on the library's own memory: not copied, and not to be written to. */
  get pixels() {
    return (this.#pixels ??= native.imagePixels(this.#handle));
  }

  /** Row `y`, without the bytes between rows. */
  row(y) {
    const length = this.width * native.pixelBytes(options.pixelFormat(this.pixelFormat));
    return new Uint8Array(this.pixels, options.count(this.height - 1)('y', y) * this.stride, length);
  }

  /** The image in another pixel format. */
  async convert(pixelFormat) {
    return new Image(await native.job('convert', { image: this.#handle, number: options.pixelFormat(pixelFormat) }));
  }

  /** The rendition of a base image with a gain map, for a display with a headroom in stops. */
  async applyGainMap(headroom = Infinity) {
    return new Image(await native.job('applyGainMap', { image: this.#handle, number: options.number('headroom', headroom) }));
  }

  /** Frame `index` of an animation, composed to the whole canvas. */
  async frame(index) {
    return new Image(await native.job('frame', { image: this.#handle, number: options.u32('index', index) }));
  }

  /** The image encoded in a format, in a Buffer. */
  async encode(format, choices) {
    return native.job('encode', { image: this.#handle, number: options.format(format), encode: options.encode(choices) });
  }

  encodeSync(format, choices) {
    return native.job('encode', { image: this.#handle, number: options.format(format), encode: options.encode(choices) }, true);
  }

  /**
   * Releases the memory now; otherwise it is released when the object is collected. An ArrayBuffer of its pixels stays
   * valid.
   */
  close() {
    native.release(this.#handle);
  }

  get handle() {
    return this.#handle;
  }
}

async function decode(bytes, choices) {
  return new Image(await native.job('decode', { bytes: options.bytes(bytes), decode: options.decode(choices) }));
}

function decodeSync(bytes, choices) {
  return new Image(native.job('decode', { bytes: options.bytes(bytes), decode: options.decode(choices) }, true));
}

module.exports = { Image, decode, decodeSync, info: (bytes) => JSON.parse(native.info(bytes)), sniff: native.sniff };
