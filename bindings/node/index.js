'use strict';
// From a URL to pixels. index.d.ts documents types and names.

const native = require('./lib/native');
const { SdimageError } = require('./lib/errors');
const { Image, decode, decodeSync, info, sniff } = require('./lib/image');
const { Cache } = require('./lib/cache');
const { Loader } = require('./lib/loader');
const { Manager } = require('./lib/manager');
const { Task } = require('./lib/task');

module.exports = {
  Cache,
  Image,
  Loader,
  Manager,
  SdimageError,
  Task,
  decode,
  decodeSync,
  info,
  sniff,
  version: () => native.version(),
  doctor: () => JSON.parse(native.doctor()),
  metrics: () => native.metrics(),
  liveHandles: () => native.handles(),
};
