/** Why a request failed. The message says what to do next. */
export type ErrorCode =
  | 'invalid'
  /** The sender may not do this. */
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  /** Someone else changed the resource after it was read (HTTP15). */
  | 'stale'
  /** Too many of something within some time. Try again later. */
  | 'too-many'
  | 'closed'
  | 'store-foreign'
  | 'store-newer'
  | 'store-unreleased'
  | 'store-readonly'
  | 'store-locked'
  | 'store-unavailable';

/** An error thrown by this library. The message says what to do. */
export class CountersignError extends Error {
  /** The class name. */
  override readonly name = 'CountersignError';
  /** The kind of error. */
  readonly code: ErrorCode;
  /** The path of the invalid input field, such as `tools.0.name`, if any. */
  readonly field?: string;

  /** All errors, if there are several. */
  readonly errors?: readonly { field: string; detail: string }[];

  constructor(
    code: ErrorCode,
    message: string,
    options: { field?: string; cause?: unknown; errors?: readonly { field: string; detail: string }[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.field !== undefined) this.field = options.field;
    if (options.errors !== undefined) this.errors = options.errors;
  }
}
