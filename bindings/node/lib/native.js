'use strict';
// The addon. make builds it into build/; SDIMAGE_NODE_ADDON names another file.

const path = require('path');

module.exports = require(path.resolve(process.env.SDIMAGE_NODE_ADDON || path.join(__dirname, '../build/sdimage.node')));
