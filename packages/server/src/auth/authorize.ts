import type { IncomingMessage } from 'node:http';

/** Returns the name of the person who sent a request, or undefined to reject it. */
export type Authorize = (
  request: Request,
  incoming: IncomingMessage | undefined,
) => string | undefined | Promise<string | undefined>;
