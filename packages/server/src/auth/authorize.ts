import type { IncomingMessage } from 'node:http';

/** Returns the name of the person who sends a request, or undefined to refuse it. */
export type Authorize = (
  request: Request,
  incoming: IncomingMessage | undefined,
) => string | undefined | Promise<string | undefined>;
