'use strict';

const { EventEmitter } = require('events');
const native = require('./native');
const options = require('./options');
const { DELIVERY_KINDS } = require('./enums');
const { SdimageError } = require('./errors');
const { Image } = require('./image');

/** One delivery of a load. */
class Result {
  constructor({ kind, image, data, error, ...fields }) {
    Object.assign(this, fields, { kind: options.word(DELIVERY_KINDS, kind), image: image ? new Image(image) : null, data, error: error ?? null });
    Object.freeze(this);
  }
}

/**
 * A load in progress. Events: 'progress' (received, expected), 'partial' (result) for partial and cached images, 'end'
 * (result, or null with an error). An async iterable of its results; exiting the loop cancels the load.
 */
class Task extends EventEmitter {
  #handle = null;
  #signal;
  #priority; // after the end
  #abort = () => this.cancel();
  #outcome = null; // { result } or { error } after the end
  #waiting = [];
  #promise = null;

  constructor(signal, priority) {
    super();
    this.#signal = signal;
    this.#priority = priority;
  }

  /** For the manager: called when the load has started. */
  begin(handle) {
    this.#handle = handle;
    this.#signal?.addEventListener('abort', this.#abort, { once: true });
  }

  /** For the manager: called when the signal was aborted before the start. */
  refuse(url) {
    this.#outcome = { error: new SdimageError('CANCELLED', 'task: cancelled', { url, cause: this.#signal.reason }) };
    process.nextTick(() => this.emit('end', null, this.#outcome.error));
    return this;
  }

  /** Resolves with the final result, or rejects with its error. */
  get finished() {
    return (this.#promise ??= new Promise((resolve, reject) => {
      const settle = () => (this.#outcome.error ? reject(this.#outcome.error) : resolve(this.#outcome.result));
      if (this.#outcome) settle();
      else this.#waiting.push(settle);
    }));
  }

  /**
   * The final result if it is available, such as after start() for an image in memory. null before the end and after an
   * error.
   */
  get result() {
    if (this.#outcome) return this.#outcome.result ?? null;
    const fields = native.taskResult(this.#handle);
    return fields && !fields.error ? new Result(fields) : null;
  }

  /** 'low', 'normal' or 'high': that of the options until it is changed, while the load is queued. */
  get priority() {
    return this.#outcome ? this.#priority : options.priorityName(native.taskPriority(this.#handle));
  }

  set priority(value) {
    const number = options.priority(value);
    if (this.#outcome) this.#priority = value;
    else native.taskSetPriority(this.#handle, number);
  }

  /** Requests the end of the load with CANCELLED; harmless after its end. */
  cancel() {
    if (!this.#outcome) native.taskCancel(this.#handle);
  }

  /** For the manager: returns true for the last delivery. */
  deliver(isResult, received, expected, fields) {
    if (!isResult) {
      this.emit('progress', received, expected < 0 ? null : expected);
      return false;
    }
    const result = new Result(fields);
    if (result.kind !== 'final') {
      this.emit('partial', result);
      return false;
    }
    this.#end(result);
    return true;
  }

  #end(result) {
    // A stale image is delivered with the error of its failed revalidation: the load still has a result.
    const failure = result.image || !result.error ? null : this.#explained(result.error);
    this.#priority = this.priority;
    this.#outcome = failure ? { error: failure } : { result };
    this.#signal?.removeEventListener('abort', this.#abort);
    native.release(this.#handle);
    for (const settle of this.#waiting.splice(0)) settle();
    this.emit('end', failure ? null : result, failure);
  }

  #explained(error) {
    if (error.code !== 'CANCELLED' || !this.#signal?.aborted) return error;
    return new SdimageError('CANCELLED', error.message, { url: error.url, cause: this.#signal.reason });
  }

  async *[Symbol.asyncIterator]() {
    let partial = null;
    let wake = () => {};
    const onPartial = (result) => {
      partial = result; // a newer partial result replaces one that was not read
      wake();
    };
    const onEnd = () => wake();
    this.on('partial', onPartial).on('end', onEnd);
    try {
      while (!this.#outcome) {
        if (!partial) await new Promise((resolve) => (wake = resolve));
        if (this.#outcome || !partial) continue;
        const next = partial;
        partial = null;
        yield next;
      }
      yield await this.finished;
    } finally {
      this.off('partial', onPartial).off('end', onEnd);
      this.cancel();
    }
  }
}

module.exports = { Task, Result };
