import type { Problem } from '@countersign/protocol';

/**
 * `problem`: the server rejected the request; `status` and `detail` say why. `network`: there was no response, so the outcome is unknown.
 * `unreadable`: the response can't be parsed, so it is not from a compatible Countersign server. `aborted`: the caller cancelled the request.
 */
export type ClientErrorKind = 'problem' | 'network' | 'unreadable' | 'aborted';

/** Why a request failed. The message is meant for people. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly kind: ClientErrorKind;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** The invalid input field. */
  readonly field?: string;
  /** All errors, if there are several. */
  readonly errors?: readonly { field: string; detail: string }[];
  /** The current state of a call that could not be decided (HTTP14). */
  readonly state?: string;
  /** The delay in milliseconds that the server requests before the next attempt. */
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
    if (said.errors !== undefined) this.errors = said.errors;
    if (said.state !== undefined) this.state = said.state;
    if (said.retryAfterMs !== undefined) this.retryAfterMs = said.retryAfterMs;
  }
}

/** Whether the same request may succeed later without any change. */
export function isTransient({ kind, status }: ClientError): boolean {
  return kind === 'network' || (kind === 'problem' && (status === 408 || status === 429 || status >= 500));
}
