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
  version: () => native.text(0),
  doctor: () => JSON.parse(native.text(1)),
  metrics: () => native.text(2),
  liveHandles: () => native.handles(),
};
