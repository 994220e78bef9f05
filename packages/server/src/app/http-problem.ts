import type { Problem } from '@countersign/protocol';

/**
 * Thrown by routes and checks to reject a request; the error boundary turns it into a problem document (HTTP1). Never put secrets
 * into `detail`: the client sees it.
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
