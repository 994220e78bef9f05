/** Why something a person or program asked for was not done. The message says what to do next. */
export type ErrorCode =
  | 'invalid'
  | 'not-found'
  | 'conflict'
  /** Changed by somebody else since it was read (W6). */
  | 'stale'
  | 'closed'
  | 'store-foreign'
  | 'store-newer'
  | 'store-readonly'
  | 'store-locked'
  | 'store-unavailable';

export class CountersignError extends Error {
  override readonly name = 'CountersignError';
  readonly code: ErrorCode;
  /** The field of the input that is wrong, as a path (`tools.0.name`), where there is one. */
  readonly field?: string;

  constructor(code: ErrorCode, message: string, options: { field?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.field !== undefined) this.field = options.field;
  }
}
