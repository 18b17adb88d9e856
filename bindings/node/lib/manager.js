'use strict';

const { constants } = require('buffer');
const { EventEmitter } = require('events');
const native = require('./native');
const options = require('./options');
const { Cache } = require('./cache');
const { DELIVERY_KINDS } = require('./enums');
const { SdimageError, fromNative } = require('./errors');
const loader = require('./loader');
const { Task } = require('./task');

const running = new Map(); // { task, manager } by token: keeps running loads from being collected
const CLOSING_MS = 2000; // for which the library waits for encodes
let last = 0;

/**
 * Loads images through memory, disk and network. Event 'load' (task, result or null, error or null) at the end of each
 * load.
 */
class Manager extends EventEmitter {
  #handle;
  #loaders;
  #tasks = new Set();
  #whenIdle = [];
  #closing = null;

  constructor({ cache, loaders = [], ...choices } = {}) {
    super();
    if ((cache ?? null) !== null && !(cache instanceof Cache)) throw new TypeError('argument: cache must be a Cache or null');
    this.#loaders = [].concat(loaders).map((each) => (typeof each === 'function' ? new loader.Loader(each) : each));
    const flat = options.manager(choices);
    if (cache) flat.cache = cache.handle;
    flat.noCache = cache === null;
    if (this.#loaders.length) flat.loaders = this.#loaders.map((each) => each.handle);
    this.#handle = native.managerNew(flat);
  }

  /** The handle; throws after close. */
  #open() {
    if (!this.#handle) throw new SdimageError('SHUTDOWN', 'manager: closed');
    return this.#handle;
  }

  /** Starts a load. */
  start(url, choices) {
    return this.#start(url, choices, true); // listeners may be added to the task
  }

  #start(url, { signal, onProgress, onPartial, ...choices } = {}, hasProgress) {
    const handle = this.#open();
    const task = new Task(options.signal(signal), choices.priority ?? 'normal');
    if (onProgress) task.on('progress', onProgress);
    if (onPartial) task.on('partial', onPartial);
    const flat = options.load({ progressive: onPartial ? true : undefined, ...choices });
    if (signal?.aborted) {
      this.#tasks.add(task);
      endsWith(task, this);
      return task.refuse(String(url));
    }
    const token = ++last;
    running.set(token, { task, manager: this });
    try {
      task.begin(native.managerStart(handle, String(url), flat, token, hasProgress));
    } catch (error) {
      running.delete(token);
      throw error;
    }
    this.#tasks.add(task);
    return task;
  }

  /** Loads an image: its final result, or a rejection with an SdimageError. */
  async load(url, choices) {
    return this.#start(url, choices, Boolean(choices?.onProgress)).finished;
  }

  /** An async iterable of the deliveries of a load: partial and cached images, then the final one. */
  stream(url, choices) {
    return this.start(url, { progressive: true, ...choices });
  }

  cancelAll() {
    native.managerCancelAll(this.#open());
  }

  /** The number of loads without a final result. */
  get runningCount() {
    return native.managerRunningCount(this.#open());
  }

  get offline() {
    return native.managerIsOffline(this.#open());
  }

  set offline(value) {
    native.managerSetOffline(this.#open(), Boolean(value));
  }

  /** Forgets all failed URLs. */
  forgetFailed() {
    native.managerForgetFailed(this.#open());
  }

  /**
   * Resolves when the stores of finished loads are committed, images that are still being encoded for the cache
   * included.
   */
  async flush(choices) {
    return native.job('managerFlush', { manager: this.#open(), number: options.flush(choices) });
  }

  /**
   * Ends running loads with SHUTDOWN; resolves when all of them are reported, and images are encoded for the cache. Those
   * that are not after 2 seconds are not stored. The cache stays open. Repeated calls are harmless.
   */
  async close() {
    return (this.#closing ??= this.#shut());
  }

  async #shut() {
    const handle = this.#handle;
    this.#handle = null;
    try {
      await native.job('managerClose', { manager: handle, number: CLOSING_MS });
      if (this.#tasks.size) await new Promise((resolve) => this.#whenIdle.push(resolve));
    } finally {
      native.release(handle);
    }
  }

  /** Emits the event for the end of a load. */
  ended(task, result, error) {
    this.#tasks.delete(task);
    if (this.#tasks.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    this.emit('load', task, result, error);
  }
}

/** Exceptions of listeners become uncaught exceptions, but only after all other listeners were called. */
function guarded(call) {
  try {
    return call();
  } catch (error) {
    process.nextTick(() => {
      throw error;
    });
    return undefined;
  }
}

/** Notifies the manager of the end of a task before the listeners of the task. */
function endsWith(task, manager) {
  task.prependOnceListener('end', (result, error) => guarded(() => manager.ended(task, result, error)));
}

function deliver(token, isResult, received, expected, fields) {
  const { task, manager } = running.get(token) ?? {};
  if (!task) return;
  if (isResult && fields.kind === DELIVERY_KINDS.final) {
    running.delete(token);
    endsWith(task, manager);
  }
  guarded(() => task.deliver(isResult, received, expected, fields));
}

native.setup(deliver, loader.asked, loader.dropped, fromNative, constants.MAX_LENGTH);

module.exports = { Manager };
