// From a URL to pixels: loading, caching and decoding of images by libsdimage.
//
// Everything belongs to the thread that made it: each worker requires the package for itself. No call enters JavaScript from
// another thread, and nothing here blocks but the functions named …Sync, `info` and `sniff`. A process ends by itself when no
// load is pending.

import { EventEmitter } from 'events';

export type PixelFormat =
  | 'gray8' | 'rgb8' | 'rgba8' | 'rgba8_premultiplied' | 'bgra8_premultiplied' | 'gray16' | 'rgb16' | 'rgba16' | 'rgba_float';
export type Format = 'jpeg' | 'png' | 'gif' | 'webp' | 'bmp' | 'ico' | 'heic' | 'avif' | 'jxl';
export type Layers = 'none' | 'disk' | 'memory' | 'all';
export type Freshness = 'ignore' | 'respect' | 'refresh';
/** Width and height in pixels. */
export type Size = [width: number, height: number];
export type Bytes = ArrayBuffer | ArrayBufferView;

/** What the library answers in place of a result. */
export class SdimageError extends Error {
  constructor(
    code: string,
    message: string,
    details?: { httpStatus?: number; url?: string; isTransient?: boolean; cause?: unknown },
  );
  /** The name of a status of sdimage/error.h without its prefix: "CANCELLED", "HTTP_STATUS", "TOO_LARGE", … */
  readonly code: string;
  /** The status that was refused; 0 where HTTP had no part. */
  readonly httpStatus: number;
  readonly url: string;
  /** Whether the same load may succeed later. */
  readonly isTransient: boolean;
}

export interface DecodeOptions {
  /** A box that the picture is shrunk into while it is decoded; nothing is enlarged. */
  thumbnailSize?: Size;
  /** Default true. */
  preserveAspectRatio?: boolean;
  /** Default 'automatic': the smallest straight format that holds the picture. */
  pixelFormat?: PixelFormat | 'automatic';
  firstFrameOnly?: boolean;
  /** Default true. */
  applyOrientation?: boolean;
  /** Default true. */
  convertToSRGB?: boolean;
  acceptPartial?: boolean;
  /** Shrinks until the bitmap takes at most so many bytes. */
  limitBytes?: number;
  /** Safety limits, beyond which it is an error: bytes of the bitmap, pixels of the header. */
  maxBytes?: number;
  maxPixels?: number;
}

export interface EncodeOptions {
  /** 0 to 1. */
  quality?: number;
  lossless?: boolean;
  /** 1, fastest, to 9. */
  effort?: number;
  maxFileSize?: number;
  maxPixelSize?: Size;
  firstFrameOnly?: boolean;
  progressive?: boolean;
}

/** A picture. Immutable. */
export class Image {
  private constructor();
  readonly width: number;
  readonly height: number;
  /** Bytes from one row to the next. */
  readonly stride: number;
  readonly pixelFormat: PixelFormat;
  /** The container it was decoded from; "undefined" for pixels of one's own. */
  readonly format: string;
  readonly hasAlpha: boolean;
  readonly scale: number;
  /** Size of the encoded picture. */
  readonly sourceWidth: number;
  readonly sourceHeight: number;
  readonly frameCount: number;
  /** 0: for ever. */
  readonly loopCount: number;
  readonly durationMs: number;
  readonly isThumbnail: boolean;
  readonly isIncremental: boolean;
  /** The rows, `stride` bytes apart, in the library's own memory: not copied, and not to be written to. Stays valid by itself. */
  readonly pixels: ArrayBuffer;
  /** A view of row `y`, without the bytes between rows. */
  row(y: number): Uint8Array;
  convert(pixelFormat: PixelFormat): Promise<Image>;
  frame(index: number): Promise<Image>;
  encode(format: Format, options?: EncodeOptions): Promise<Buffer>;
  encodeSync(format: Format, options?: EncodeOptions): Buffer;
  /** Gives the picture back at once, in place of when it is collected. */
  close(): void;
  /** Copies pixels: rows from top to bottom, `stride` bytes apart (default: none between them). */
  static fromPixels(width: number, height: number, pixelFormat: PixelFormat, bytes: Bytes, stride?: number): Image;
}

/** On a thread of libuv's pool; `bytes` are copied first. */
export function decode(bytes: Bytes, options?: DecodeOptions): Promise<Image>;
export function decodeSync(bytes: Bytes, options?: DecodeOptions): Image;
/** What the header says: format, width, height, frame_count, orientation, … as of sdimage_info. */
export function info(bytes: Bytes): Record<string, unknown>;
/** The format by its signature. */
export function sniff(bytes: Bytes): string | null;

export interface CacheOptions {
  /** Default: $XDG_CACHE_HOME/sdimage. */
  directory?: string;
  namespace?: string;
  memoryOnly?: boolean;
  /** Bytes of pixels, and pictures; 0 is no limit. */
  maxMemoryCost?: number;
  maxMemoryCount?: number;
  maxDiskSize?: number;
  /** Seconds; negative is for ever. */
  maxDiskAge?: number;
}

export class Cache {
  constructor(options?: CacheOptions);
  memoryImage(key: string): Image | null;
  setMemoryImage(key: string, image: Image): void;
  image(key: string, options?: DecodeOptions): Promise<Image | null>;
  data(key: string): Promise<Buffer | null>;
  /** Resolved when it is committed. A picture without `data` is encoded. */
  store(key: string, what: { image?: Image; data?: Bytes; layers?: Layers } & EncodeOptions): Promise<void>;
  contains(key: string): Promise<Layers>;
  remove(key: string, layers?: Layers): Promise<void>;
  clear(layers?: Layers): Promise<void>;
  flush(): Promise<void>;
  diskTotals(): Promise<{ bytes: number; count: number }>;
  close(): Promise<void>;
}

export interface LoadOptions extends DecodeOptions {
  /** Cancels: the load is rejected with CANCELLED, and the signal's reason as cause. */
  signal?: AbortSignal;
  /** Bytes; `expected` is null where it is not known. */
  onProgress?: (received: number, expected: number | null) => void;
  /** Partial and cached pictures; makes the load progressive. */
  onPartial?: (result: Result) => void;
  priority?: 'low' | 'normal' | 'high';
  sourcePolicy?: 'any' | 'cache-only' | 'loader-only';
  freshness?: Freshness;
  progressive?: boolean;
  progressiveIntervalMs?: number;
  wantsData?: boolean;
  waitForStore?: boolean;
  retryFailed?: boolean;
  timeoutMs?: number;
  maxRetries?: number;
  cacheKey?: string;
  /** null removes a field. */
  headers?: Record<string, string | null>;
}

/** What one delivery of a load carries. */
export interface Result {
  readonly kind: 'partial' | 'cached' | 'final';
  /** null: a load that may use caches only found nothing. */
  readonly image: Image | null;
  readonly data: Buffer | null;
  /** Why the picture is stale. */
  readonly error: SdimageError | null;
  readonly source: 'none' | 'memory' | 'disk' | 'remote' | 'network' | 'loader';
  readonly isStale: boolean;
  readonly isChanged: boolean;
  readonly freshness: string;
  readonly url: string;
  readonly cacheKey: string;
  readonly timesNs: Record<'total' | 'queued' | 'disk' | 'load' | 'decode' | 'store', number>;
}

/** A load. Events: 'progress' (received, expected), 'partial' (result), 'end' (result | null, error | null). */
export class Task extends EventEmitter implements AsyncIterable<Result> {
  private constructor();
  /** The final result. */
  readonly finished: Promise<Result>;
  /** The final result, where it is there already, as after start() of what is in memory. */
  readonly result: Result | null;
  cancel(): void;
  /** Partial and cached results, then the final one. Leaving the loop cancels. */
  [Symbol.asyncIterator](): AsyncIterator<Result>;
}

export interface ManagerOptions {
  /** null: none. Left out: one with the defaults, shared by the process. */
  cache?: Cache | null;
  /** Asked before the built-in loaders, the last first. A function is a loader of every URL. */
  loaders?: Loader | LoadFunction | Array<Loader | LoadFunction>;
  freshness?: Freshness;
  /** Seconds for which a URL that failed for good is not asked again; negative: until forgetFailed(). */
  failedUrlRetryAfter?: number;
  ignoreSignatures?: boolean;
}

/** Loads pictures through memory, disk and network. Event: 'load' (task, result | null, error | null) when one has ended. */
export class Manager extends EventEmitter {
  constructor(options?: ManagerOptions);
  load(url: string | URL, options?: LoadOptions): Promise<Result>;
  start(url: string | URL, options?: LoadOptions): Task;
  stream(url: string | URL, options?: LoadOptions): Task;
  cancelAll(): void;
  readonly runningCount: number;
  offline: boolean;
  forgetFailed(): void;
  /** Ends what runs with SHUTDOWN, and waits until all of it has been told. The cache stays open. */
  close(): Promise<void>;
}

export interface LoadRequest {
  readonly url: string;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
  /** How many bytes will come. */
  expect(length: number): void;
}

export type LoadFunction = (
  request: LoadRequest,
) => Promise<Bytes | Image | Iterable<Bytes>> | AsyncIterable<Bytes> | Bytes | Image;

/** Fetches from anywhere. An SdimageError that the function throws is that of the load, anything else INTERNAL_ERROR. */
export class Loader {
  constructor(load: LoadFunction, options?: { schemes?: string | string[] });
}

/** The version of the library, "1.2.3". */
export function version(): string;
/** What a bug report starts with. */
export function doctor(): Record<string, unknown>;
/** The numbers of the process in the text format of Prometheus. */
export function metrics(): string;
/** Objects of the library that this thread holds: for tests of leaks. */
export function liveHandles(): number;
