import type { Problem } from '@countersign/protocol';

/**
 * `problem`: the server answered and did not do it; `status` and `detail` say why.
 * `network`: it did not answer. Whether it did what was asked is not known; what it keeps is not lost.
 * `unreadable`: it answered something that is not ours to read; another program may listen there.
 * `aborted`: the caller gave up.
 */
export type ClientErrorKind = 'problem' | 'network' | 'unreadable' | 'aborted';

/** Why a call had no success. The message is a sentence for a person. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly kind: ClientErrorKind;
  /** The HTTP status; 0 where there was none. */
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** The field of the input that is wrong. */
  readonly field?: string;
  /** How a call stands that could not be decided (W5). */
  readonly state?: string;
  /** After how long the server wants to be asked again, in milliseconds. */
  readonly retryAfterMs?: number;

  constructor(
    kind: ClientErrorKind,
    said: Partial<Omit<Problem, 'type'>> & { detail: string; retryAfterMs?: number },
    cause?: unknown,
  ) {
    super(said.detail, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.status = said.status ?? 0;
    this.title = said.title ?? '';
    this.detail = said.detail;
    if (said.field !== undefined) this.field = said.field;
    if (said.state !== undefined) this.state = said.state;
    if (said.retryAfterMs !== undefined) this.retryAfterMs = said.retryAfterMs;
  }
}

/** Whether the same call may go better later, without anybody doing something about it. */
export function isPassing({ kind, status }: ClientError): boolean {
  return kind === 'network' || (kind === 'problem' && (status === 408 || status === 429 || status >= 500));
}
