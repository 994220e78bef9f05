import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ToolContext } from '@countersign/core/ports';
import { ProtocolError, ProtocolErrorCode, type Client } from '@modelcontextprotocol/client';
import { elicit } from './elicit.js';
import type { CallsUnderWay } from './run-call.js';
import type { ServerLog } from '../server-log.js';

export interface Answering {
  server: string;
  workingDirectory: string;
  log: ServerLog;
  calls: CallsUnderWay;
}

/** Handles a server's requests for its root folder, and its questions to a person during a call. Rejects all other requests (SAFE1). */
export function answerServer(client: Client, { server, workingDirectory, log, calls }: Answering): void {
  client.setRequestHandler('roots/list', () => ({
    roots: [{ uri: pathToFileURL(workingDirectory).href, name: basename(workingDirectory) }],
  }));
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const ask = askerOf(calls);
    if (ask === undefined || params.mode === 'url') {
      log.push('[asked a question while no call or several calls were running; it was declined]\n');
      return { action: 'decline' };
    }
    return await elicit(server, params, ask);
  });
  // This includes sampling: a server that uses our model would spend the user's money and bypass the gate.
  client.fallbackRequestHandler = ({ method }) => {
    log.push(`[requested ${method}, which is not supported]\n`);
    const words = method === 'sampling/createMessage' ? 'Sampling is not allowed.' : `${method} is not supported.`;
    return Promise.reject(new ProtocolError(ProtocolErrorCode.MethodNotFound, words));
  };
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    log.push(`[${level}]${logger === undefined ? '' : ` ${logger}:`} ${text}\n`);
  });
}

/** A question doesn't say which call it belongs to. If several calls are running, it could appear on the wrong card. */
function askerOf(calls: CallsUnderWay): ToolContext['ask'] {
  const [only, ...more] = calls;
  return more.length > 0 ? undefined : only?.ask;
}
