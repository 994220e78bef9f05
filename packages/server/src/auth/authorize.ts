import type { IncomingMessage } from 'node:http';

/**
 * Returns the person who sent a request, or undefined to reject it. A name alone is also the person's id, so it must stay the same and be
 * unique.
 */
export type Authorize = (
  request: Request,
  incoming: IncomingMessage | undefined,
) => Person | undefined | Promise<Person | undefined>;

/** A person's name, or their id and name. */
type Person = string | { id: string; name: string };
