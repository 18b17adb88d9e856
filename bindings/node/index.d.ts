// From a URL to pixels: loading, caching and decoding of images by libsdimage.
//
// Each worker requires the package for itself; objects belong to the thread that created them. No call enters
// JavaScript from another thread. Only the functions named …Sync, `info` and `sniff` block. A process ends by itself
// when no load is pending.

import { EventEmitter } from 'events';
import type {
  CachePolicy, DeliveryKind, DynamicRange, Format, Freshness, ImageSource, Layers, PixelFormat, Priority, ScaleMode,
  SourcePolicy, Stage,
} from './lib/enums';

export type { CachePolicy, DynamicRange, Format, Freshness, Layers, PixelFormat, Priority, ScaleMode } from './lib/enums';
/** Width and height in pixels. */
export type Size = [width: number, height: number];
export type Bytes = ArrayBuffer | ArrayBufferView;

/** An error of the library. */
export class SdimageError extends Error {
  constructor(
    code: string,
    message: string,
    details?: { httpStatus?: number; url?: string; isTransient?: boolean; cause?: unknown },
  );
  /** The name of a status of sdimage/error.h without its prefix: "CANCELLED", "HTTP_STATUS", "TOO_LARGE", … */
  readonly code: string;
  /** The HTTP status of the refused response; 0 if HTTP was not involved. */
  readonly httpStatus: number;
  readonly url: string;
  /** True if the same load may succeed later. */
  readonly isTransient: boolean;
}

export interface DecodeOptions {
  /** A box in pixels. The image is scaled down into it while it is decoded; nothing is enlarged. */
  thumbnailSize?: Size;
  /** How the image fits into the box. Default 'aspect-fit'. */
  thumbnailMode?: ScaleMode;
  /** Default 'automatic': gray, RGB or RGBA with 8 bits a channel; 'native' keeps the depth of the file. */
  pixelFormat?: PixelFormat | 'automatic';
  /** Default 'sdr'; the others decode an image that has more than the range of SDR to 'rgba_float'. */
  dynamicRange?: DynamicRange;
  /** The headroom of the display for 'automatic', in stops above SDR white. Default 0. */
  displayHeadroom?: number;
  /** Leaves the base image with its gain map, for `applyGainMap` and `embedGainMap`. Default false. */
  keepGainMap?: boolean;
  firstFrameOnly?: boolean;
  /** Default true. */
  applyOrientation?: boolean;
  /** Default true. */
  convertToSRGB?: boolean;
  acceptPartial?: boolean;
  /** Scales down until the bitmap takes at most this many bytes. */
  limitBytes?: number;
  /** Safety limits, beyond which the decode fails: bytes of the bitmap, pixels of the header, milliseconds of work. */
  maxBytes?: number;
  maxPixels?: number;
  maxWorkMs?: number;
}

export interface EncodeOptions {
  /** 0 to 1. */
  quality?: number;
  lossless?: boolean;
  /** 1 (fastest) to 9. */
  effort?: number;
  maxFileSize?: number;
  maxPixelSize?: Size;
  /** JPEG: writes the gain map of a base image, or one for the light above SDR white. Default false. */
  embedGainMap?: boolean;
  firstFrameOnly?: boolean;
  progressive?: boolean;
}

/** An immutable image. */
export class Image {
  private constructor();
  readonly width: number;
  readonly height: number;
  /** Bytes from one row to the next. */
  readonly stride: number;
  readonly pixelFormat: PixelFormat;
  /** The container that the image was decoded from; "unknown" for images created from pixels. */
  readonly format: string;
  readonly hasAlpha: boolean;
  readonly scale: number;
  /** Size of the encoded image. */
  readonly sourceWidth: number;
  readonly sourceHeight: number;
  /** Headroom of the pixels in stops above SDR white; 0 for SDR. */
  readonly headroom: number;
  /**
   * Headroom of the brightest rendition of the file in stops: that of its gain map if it was applied or kept, or of PQ
   * and HLG; 0 for SDR.
   */
  readonly contentHeadroom: number;
  readonly frameCount: number;
  /** 0 repeats forever. */
  readonly loopCount: number;
  readonly durationMs: number;
  readonly isThumbnail: boolean;
  readonly isIncremental: boolean;
  /**
   * The rows, `stride` bytes apart, in the library's own memory: not copied, and not to be written to. Stays valid on
   * its own.
   */
  readonly pixels: ArrayBuffer;
  /** A view of row `y`, without the bytes between rows. */
  row(y: number): Uint8Array;
  convert(pixelFormat: PixelFormat): Promise<Image>;
  /**
   * Applies the gain map that `keepGainMap` left, for a display with a headroom in stops (default: that of the content). The
   * result is 'rgba_float', or the same pixels if they are the rendition.
   */
  applyGainMap(headroom?: number): Promise<Image>;
  frame(index: number): Promise<Image>;
  encode(format: Format, options?: EncodeOptions): Promise<Buffer>;
  encodeSync(format: Format, options?: EncodeOptions): Buffer;
  /** Releases the memory now; otherwise it is released when the object is collected. */
  close(): void;
  /** Copies pixels: rows from top to bottom, `stride` bytes apart (default: no padding between rows). */
  static fromPixels(width: number, height: number, pixelFormat: PixelFormat, bytes: Bytes, stride?: number): Image;
}

/** Runs on a thread of libuv's pool; `bytes` are copied first. */
export function decode(bytes: Bytes, options?: DecodeOptions): Promise<Image>;
export function decodeSync(bytes: Bytes, options?: DecodeOptions): Image;
/** The properties in the header: format, width, height, frame_count, orientation, … as sdimage_info_to_json reports them. */
export function info(bytes: Bytes): Record<string, unknown>;
/** Detects the format by its signature. */
export function sniff(bytes: Bytes): string | null;

export interface CacheOptions {
  /** Default: $XDG_CACHE_HOME/sdimage. */
  directory?: string;
  namespace?: string;
  memoryOnly?: boolean;
  /** Bytes of pixels, and number of images; 0 is no limit. */
  maxMemoryCost?: number;
  maxMemoryCount?: number;
  maxDiskSize?: number;
  /** Seconds; a negative value never expires. */
  maxDiskAge?: number;
}

export class Cache {
  constructor(options?: CacheOptions);
  memoryImage(key: string): Image | null;
  setMemoryImage(key: string, image: Image): void;
  image(key: string, options?: DecodeOptions): Promise<Image | null>;
  data(key: string): Promise<Buffer | null>;
  /** Resolves when the entry is committed. An image without `data` is encoded. */
  store(key: string, what: { image?: Image; data?: Bytes; layers?: Layers } & EncodeOptions): Promise<void>;
  contains(key: string): Promise<Layers>;
  remove(key: string, layers?: Layers): Promise<void>;
  clear(layers?: Layers): Promise<void>;
  flush(): Promise<void>;
  diskTotals(): Promise<{ bytes: number; count: number }>;
  close(): Promise<void>;
}

export interface LoadOptions extends DecodeOptions {
  /** Cancels the load: it is rejected with CANCELLED, with the reason of the signal as cause. */
  signal?: AbortSignal;
  /** Reports bytes; `expected` is null if it is unknown. */
  onProgress?: (received: number, expected: number | null) => void;
  /** Receives partial and cached images; makes the load progressive. */
  onPartial?: (result: Result) => void;
  priority?: Priority;
  sourcePolicy?: SourcePolicy;
  /** The use of the cache: exceptions from the default, all of them together. */
  cachePolicy?: CachePolicy | CachePolicy[];
  freshness?: Freshness;
  progressive?: boolean;
  progressiveIntervalMs?: number;
  includeData?: boolean;
  waitForStore?: boolean;
  retryFailed?: boolean;
  timeoutMs?: number;
  maxRetries?: number;
  /** The largest accepted body, without its content coding. Default: the limit of the downloader. */
  maxBodyBytes?: number;
  cacheKey?: string;
  /** null removes a field. */
  headers?: Record<string, string | null> | Iterable<[name: string, content: string | null]>;
}

/** One delivery of a load. */
export interface Result {
  readonly kind: DeliveryKind;
  /** null after a cache-only load that found nothing. */
  readonly image: Image | null;
  readonly data: Buffer | null;
  /** The reason why the image is stale. */
  readonly error: SdimageError | null;
  readonly source: ImageSource;
  readonly isStale: boolean;
  readonly isChanged: boolean;
  readonly freshness: string;
  readonly url: string;
  readonly cacheKey: string;
  readonly timesNs: Record<Stage, number>;
}

/** A load. Events: 'progress' (received, expected), 'partial' (result), 'end' (result | null, error | null). */
export class Task extends EventEmitter implements AsyncIterable<Result> {
  private constructor();
  /** The final result. */
  readonly finished: Promise<Result>;
  /** The final result if it is available, such as after start() for an image in memory. */
  readonly result: Result | null;
  /** Initially that of the options. A change takes effect while the load is queued, for its transfer or its decode. */
  priority: Priority;
  cancel(): void;
  /** Partial and cached results, then the final one. Exiting the loop cancels the load. */
  [Symbol.asyncIterator](): AsyncIterator<Result>;
}

export interface ManagerOptions {
  /** null disables the cache. Default: a cache with the default configuration, shared by the process. */
  cache?: Cache | null;
  /** Tried before the built-in loaders, the last one first. A function is a loader for every URL. */
  loaders?: Loader | LoadFunction | Array<Loader | LoadFunction>;
  freshness?: Freshness;
  /** Seconds for which a permanently failed URL is not requested again; negative: until forgetFailed(). */
  failedUrlRetryAfter?: number;
  ignoreSignatures?: boolean;
}

/**
 * Loads images through memory, disk and network. Event: 'load' (task, result | null, error | null) at the end of each
 * load.
 */
export class Manager extends EventEmitter {
  constructor(options?: ManagerOptions);
  load(url: string | URL, options?: LoadOptions): Promise<Result>;
  start(url: string | URL, options?: LoadOptions): Task;
  stream(url: string | URL, options?: LoadOptions): Task;
  cancelAll(): void;
  readonly runningCount: number;
  offline: boolean;
  forgetFailed(): void;
  /**
   * Resolves when the stores of finished loads are committed, images that are still being encoded for the cache
   * included; rejects with TIMEOUT. Default: no limit.
   */
  flush(options?: { timeoutMs?: number }): Promise<void>;
  /**
   * Ends running loads with SHUTDOWN, and waits until all of them are reported. The cache stays open. Images that are not
   * encoded for it after 2 seconds are not stored; flush() waits for all of them.
   */
  close(): Promise<void>;
}

export interface LoadRequest {
  readonly url: string;
  /** Aborted when no caller is waiting any longer. */
  readonly signal: AbortSignal;
  /** Announces the number of bytes to come. */
  expect(length: number): void;
}

export type LoadFunction = (
  request: LoadRequest,
) => Promise<Bytes | Image | Iterable<Bytes>> | AsyncIterable<Bytes> | Bytes | Image;

/**
 * Fetches from any source. An SdimageError that the function throws is the error of the load, anything else becomes
 * INTERNAL_ERROR.
 */
export class Loader {
  constructor(load: LoadFunction, options?: { schemes?: string | string[] });
}

/** The version of the library, "1.2.3". */
export function version(): string;
/** The diagnostics for a bug report. */
export function doctor(): Record<string, unknown>;
/** The metrics of the process in the Prometheus text format. */
export function metrics(): string;
/** The number of library objects that this thread holds, for leak tests. */
export function liveHandles(): number;
