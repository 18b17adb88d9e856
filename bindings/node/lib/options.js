'use strict';
// Checks the options of the caller and converts them to the flat objects that the addon reads.

const { types } = require('util');
const {
  CACHE_POLICIES, DYNAMIC_RANGES, FORMATS, FRESHNESS, LAYERS, PIXEL_FORMATS, PRIORITIES, SCALE_MODES, SOURCE_POLICIES,
} = require('./enums');

function choice(table) {
  return (name, value) => {
    if (typeof value === 'string' && Object.hasOwn(table, value)) return table[value];
    throw new TypeError(`argument: ${name} is none of ${Object.keys(table).join(', ')}`);
  };
}

/** The number of a set of bits, given by one word or by an array of words. */
function bits(table) {
  const one = choice(table);
  return (name, value) => [value].flat().reduce((sum, each) => sum | one(name, each), 0);
}

/** The word of a number; undefined for numbers of later versions. */
function word(table, number) {
  return Object.keys(table).find((name) => table[name] === number);
}

function count(limit) {
  return (name, value) => {
    if (Number.isInteger(value) && value >= 0 && value <= limit) return value;
    throw new RangeError(`argument: ${name} must be an integer from 0 to ${limit}`);
  };
}

function of(type) {
  return (name, value) => {
    if (typeof value !== type) throw new TypeError(`argument: ${name} must be a ${type}`);
    return value;
  };
}

/** Text for C, where a NUL would end it. */
function text(name, value) {
  if (of('string')(name, value).includes('\0')) throw new TypeError(`argument: ${name} contains a NUL`);
  return value;
}

function bytes(value) {
  if (ArrayBuffer.isView(value) || types.isArrayBuffer(value)) return value;
  throw new TypeError('argument: bytes must be an ArrayBuffer, a typed array or a Buffer');
}

/** A signal, or a value with its methods. */
function signal(value) {
  if (value === undefined || value === null || typeof value.addEventListener === 'function') return value;
  throw new TypeError('argument: signal must be an AbortSignal');
}

const u32 = count(0xffffffff);
const u53 = count(Number.MAX_SAFE_INTEGER);
const flag = of('boolean');
const priority = choice(PRIORITIES);

function seconds(name, value) {
  if (!Number.isSafeInteger(value)) throw new RangeError(`argument: ${name} must be a whole number of seconds`);
  return value;
}

/** Converts [width, height] to two numbers with the given names. */
function size(name, value, width, height) {
  if (!Array.isArray(value) || value.length !== 2) throw new TypeError(`argument: ${name} must be [width, height]`);
  return { [width]: u32(name, value[0]), [height]: u32(name, value[1]) };
}

const DECODE = {
  thumbnailMode: choice(SCALE_MODES), pixelFormat: choice(PIXEL_FORMATS), dynamicRange: choice(DYNAMIC_RANGES),
  displayHeadroom: of('number'), keepGainMap: flag, firstFrameOnly: flag, applyOrientation: flag, convertToSRGB: flag,
  acceptPartial: flag, limitBytes: u53, maxBytes: u53, maxPixels: u53, maxWorkMs: u32,
};
const ENCODE = {
  quality: of('number'), lossless: flag, effort: u32, maxFileSize: u53, embedGainMap: flag, firstFrameOnly: flag,
  progressive: flag,
};
const LOAD = {
  ...DECODE,
  priority,
  sourcePolicy: choice(SOURCE_POLICIES),
  cachePolicy: bits(CACHE_POLICIES),
  freshness: choice(FRESHNESS), progressive: flag, progressiveIntervalMs: u32, includeData: flag, waitForStore: flag,
  retryFailed: flag, timeoutMs: u32, maxRetries: u32, maxBodyBytes: u53, cacheKey: of('string'),
};
const CACHE = {
  directory: text, namespace: text, memoryOnly: flag, maxMemoryCost: u53, maxMemoryCount: u53,
  maxDiskSize: u53, maxDiskAge: seconds,
};
const FLUSH = { timeoutMs: u32 };
const NO_LIMIT = 0xffffffff;
const MANAGER = { freshness: choice(FRESHNESS), failedUrlRetryAfter: seconds, ignoreSignatures: flag };

/** Checks `options` against `table`; `special` has functions that return several flat values, or nothing. */
function flatten(options, table, special = {}) {
  const flat = {};
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value === undefined || value === null) continue;
    if (Object.hasOwn(special, name)) Object.assign(flat, special[name](value));
    else if (Object.hasOwn(table, name)) flat[name] = table[name](name, value);
    else throw new TypeError(`options: unknown option ${name}`);
  }
  return flat;
}

const thumbnail = (value) => size('thumbnailSize', value, 'thumbnailWidth', 'thumbnailHeight');

/** Converts an object, or an iterable of pairs such as Headers or a Map. */
function headers(value) {
  if (typeof value !== 'object') throw new TypeError('argument: headers must be an object or an iterable of pairs');
  const field = (pair) => {
    if (!Array.isArray(pair) || pair.length !== 2) throw new TypeError('argument: a header field must be [name, content]');
    const [name, content] = pair;
    return [text('a header field', name), content === null ? null : text(name, String(content))];
  };
  return { headers: Object.fromEntries(Array.from(value[Symbol.iterator] ? value : Object.entries(value), field)) };
}

module.exports = {
  word,
  format: (name) => choice(FORMATS)('format', name),
  pixelFormat: (name) => choice(PIXEL_FORMATS)('pixelFormat', name),
  pixelFormatName: (number) => word(PIXEL_FORMATS, number),
  layers: (name) => choice(LAYERS)('layers', name),
  layersName: (number) => word(LAYERS, number),
  priority: (name) => priority('priority', name),
  priorityName: (number) => word(PRIORITIES, number),
  bytes,
  signal,
  count,
  key: (value) => of('string')('key', value),
  u32,
  u53,
  number: of('number'),
  decode: (options) => flatten(options, DECODE, { thumbnailSize: thumbnail }),
  encode: (options) =>
    flatten(options, ENCODE, { maxPixelSize: (value) => size('maxPixelSize', value, 'maxWidth', 'maxHeight') }),
  load: (options) => flatten(options, LOAD, { thumbnailSize: thumbnail, headers }),
  cache: (options) => flatten(options, CACHE),
  manager: (options) => flatten(options, MANAGER),
  /** Milliseconds. */
  flush: (options) => flatten(options, FLUSH).timeoutMs ?? NO_LIMIT,
};
