import type { Problem } from '@countersign/protocol';

/**
 * What a route or a check throws when it refuses a request. The one error boundary turns it into a problem document (W2);
 * `detail` says what to do next and goes to whoever asked, so nothing secret belongs in it.
 */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;
  readonly more: Pick<Problem, 'field' | 'state'>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    detail: string,
    more: { field?: string; state?: string; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    this.status = status;
    this.headers = more.headers ?? {};
    this.more = {
      ...(more.field === undefined ? {} : { field: more.field }),
      ...(more.state === undefined ? {} : { state: more.state }),
    };
  }
}
