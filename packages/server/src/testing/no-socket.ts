import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** A response that nobody reads, for requests without a network: what a stream would send stays in it. */
export function responseToNobody(): ServerResponse {
  return new ServerResponse(new IncomingMessage(new Socket()));
}
