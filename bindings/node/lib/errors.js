'use strict';

/** An error of the library; `code` is the name of its status: "NOT_FOUND", "CANCELLED", … */
class SdimageError extends Error {
  constructor(code, message, { httpStatus = 0, url = '', isTransient = false, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SdimageError';
    this.code = code;
    this.httpStatus = httpStatus;
    this.url = url;
    this.isTransient = isTransient;
  }
}

/** Creates the errors of the addon. */
function fromNative(code, message, httpStatus, url, isTransient) {
  return new SdimageError(code, message, { httpStatus, url, isTransient });
}

module.exports = { SdimageError, fromNative };
