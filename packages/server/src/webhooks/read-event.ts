import { isApprovalId } from '@countersign/core';
import type { StoredEvent, StoreReader } from '@countersign/core/ports';
import { REQUEST_APPROVAL_TOOL, type WebhookEvent } from '@countersign/protocol';

interface Happened {
  type: WebhookEvent;
  /** The id of the approval, call or chat. */
  subject: string;
}

/** Whether an event of the log may be one that webhooks are told about. */
export function concernsWebhooks(event: StoredEvent): boolean {
  switch (event.event) {
    case 'message':
      return requestedIn(event) !== undefined || decidedIn(event) !== undefined;
    case 'tool':
      return event.data.type === 'TOOL_EXECUTION_FAILED';
    case 'world':
      return event.data.type === 'idle';
    case 'system':
    case 'crud':
      return false;
  }
}

/** What an event of the log means to webhooks. */
export async function readEvent(
  reader: Pick<StoreReader, 'approval'>,
  event: StoredEvent,
): Promise<Happened | undefined> {
  switch (event.event) {
    case 'message': {
      const requested = requestedIn(event);
      if (requested !== undefined) return { type: 'approval.requested', subject: requested };
      const decided = decidedIn(event);
      return decided === undefined ? undefined : await readDecision(reader, decided);
    }
    case 'tool':
      if (event.data.type !== 'TOOL_EXECUTION_FAILED') return undefined;
      return { type: 'call.failed', subject: event.data.invocation_id };
    case 'world':
      return event.data.type === 'idle' && event.chatId !== null
        ? { type: 'chat.idle', subject: event.chatId }
        : undefined;
    case 'system':
    case 'crud':
      return undefined;
  }
}

type MessageEvent = Extract<StoredEvent, { event: 'message' }>;

/** A model can choose the name of the tool, but not such an id. */
function requestedIn({ message }: MessageEvent): string | undefined {
  return message.toolCalls?.find(({ id, function: { name } }) => name === REQUEST_APPROVAL_TOOL && isApprovalId(id))
    ?.id;
}

function decidedIn({ message: { role, toolCallId } }: MessageEvent): string | undefined {
  return role === 'tool' && toolCallId !== null && isApprovalId(toolCallId) ? toolCallId : undefined;
}

/** The message may also be a signature. If the decision came meanwhile, both become the same delivery. */
async function readDecision(reader: Pick<StoreReader, 'approval'>, subject: string): Promise<Happened | undefined> {
  const status = (await reader.approval(subject))?.status;
  if (status === undefined || status === 'pending') return undefined;
  return { type: status === 'expired' ? 'approval.expired' : 'approval.decided', subject };
}
