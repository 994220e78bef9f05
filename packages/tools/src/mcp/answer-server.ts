import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ToolContext } from '@countersign/core/ports';
import { ProtocolError, ProtocolErrorCode, type Client } from '@modelcontextprotocol/client';
import { elicit } from './elicit.js';
import type { CallsUnderWay } from './run-call.js';
import type { ServerLog } from './server-log.js';

export interface Answering {
  server: string;
  workingDirectory: string;
  log: ServerLog;
  calls: CallsUnderWay;
}

/** What a server may ask of us: where the work is, and a person's words in the middle of a call. Nothing else (A21). */
export function answerServer(client: Client, { server, workingDirectory, log, calls }: Answering): void {
  client.setRequestHandler('roots/list', () => ({
    roots: [{ uri: pathToFileURL(workingDirectory).href, name: basename(workingDirectory) }],
  }));
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const ask = askerOf(calls);
    if (ask === undefined || params.mode === 'url') {
      log.push('[asked a question that belongs to no single call; it was declined]\n');
      return { action: 'decline' };
    }
    return await elicit(server, params, ask);
  });
  // Sampling among it: a server that asks our model would speak with the person's money, and past every gate.
  client.fallbackRequestHandler = ({ method }) => {
    log.push(`[asked for ${method}, which is refused here]\n`);
    const words =
      method === 'sampling/createMessage' ? 'Sampling is not allowed here.' : `${method} is not offered here.`;
    return Promise.reject(new ProtocolError(ProtocolErrorCode.MethodNotFound, words));
  };
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    log.push(`[${level}]${logger === undefined ? '' : ` ${logger}:`} ${text}\n`);
  });
}

/** Nothing in such a question says which call it is about: with more than one under way it would come on the wrong card. */
function askerOf(calls: CallsUnderWay): ToolContext['ask'] {
  const [only, ...more] = calls;
  return more.length > 0 ? undefined : only?.ask;
}
