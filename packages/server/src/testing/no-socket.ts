import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** A response without a socket, for requests that don't use the network: it buffers what a stream sends. */
export function responseToNobody(): ServerResponse {
  return new ServerResponse(new IncomingMessage(new Socket()));
}
