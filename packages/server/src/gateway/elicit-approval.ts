import { randomUUID } from 'node:crypto';
import type { CallRecord } from '@countersign/core/ports';
import type { InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { GatewayRequest } from './gateway-request.js';
import { gatewayTexts } from './gateway-texts.js';
import { requestKey } from './waiting-clients.js';

type WaitingCall = Pick<CallRecord, 'id' | 'toolName'>;

/**
 * How a client shows a person the link to an approval (EXT2.9). Only the approval decides: what the client answers, or that it fails, means nothing.
 * `request`: beside the call, up to protocol 2025-11-25. `answer`: as an answer, after which the client sends the call again, since 2026-07-28.
 */
export type Elicitation =
  | { how: 'none' }
  | { how: 'request'; send(call: WaitingCall, link: string): () => Promise<void> }
  | { how: 'answer'; ask(call: WaitingCall, link: string): InputRequiredResult };

const opensLinksSchema = z.looseObject({ elicitation: z.looseObject({ url: z.looseObject({}) }) });

/** Whether a client's capabilities say that it can open links. */
export function opensLinks(capabilities: unknown): boolean {
  return opensLinksSchema.safeParse(capabilities).success;
}

export function findElicitation(
  request: GatewayRequest,
  server: Server,
  { id, envelope }: ServerContext['mcpReq'],
): Elicitation {
  const { sdk, gate, elicitations, connection } = request;
  if (!gate.hasPage) return { how: 'none' };
  if (envelope !== undefined) {
    const declared: Readonly<Record<string, unknown>> = { ...envelope };
    if (!opensLinks(declared[sdk.CLIENT_CAPABILITIES_META_KEY])) return { how: 'none' };
    return {
      how: 'answer',
      ask: (call, url) => {
        const approval = sdk.inputRequired.elicitUrl({ message: gatewayTexts.elicitation(call.toolName), url });
        return sdk.inputRequired({ inputRequests: { approval }, requestState: call.id });
      },
    };
  }
  if (!request.opensLinks) return { how: 'none' };
  const write = async (message: { id?: string; method: string; params: Record<string, unknown> }): Promise<void> => {
    // The client may have left.
    await server.transport?.send({ jsonrpc: '2.0', ...message }, { relatedRequestId: id }).catch(() => undefined);
  };
  return {
    how: 'request',
    send(call, url) {
      const requestId = `elicitation-${randomUUID()}`;
      const sent = elicitations.add(requestKey(connection, requestId));
      const params = { mode: 'url', elicitationId: call.id, url, message: gatewayTexts.elicitation(call.toolName) };
      const isSent = write({ id: requestId, method: 'elicitation/create', params });
      return async () => {
        await isSent;
        const isOpen = sent.end();
        if (isOpen === undefined) return;
        if (isOpen) await write({ method: 'notifications/cancelled', params: { requestId } });
        await write({ method: 'notifications/elicitation/complete', params: { elicitationId: call.id } });
      };
    },
  };
}
