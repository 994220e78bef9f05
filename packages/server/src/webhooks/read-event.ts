import { isApprovalId } from '@countersign/core';
import type { StoredEvent, StoreReader } from '@countersign/core/ports';
import { REQUEST_APPROVAL_TOOL, type WebhookEvent } from '@countersign/protocol';

/** `subject`: the id of the approval, call or chat. `answered`: an approval was signed or decided. */
type Happened = { type: WebhookEvent; subject: string } | { type: 'answered'; subject: string };

/** What an event of the log may mean to webhooks. */
export function happenedIn(event: StoredEvent): Happened | undefined {
  switch (event.event) {
    case 'message': {
      const { role, toolCalls, toolCallId } = event.message;
      // A model can choose the name of the tool, but not such an id.
      const asked = toolCalls?.find(({ id, function: { name } }) => name === REQUEST_APPROVAL_TOOL && isApprovalId(id));
      if (asked !== undefined) return { type: 'approval.requested', subject: asked.id };
      const isAnswer = role === 'tool' && toolCallId !== null && isApprovalId(toolCallId);
      return isAnswer ? { type: 'answered', subject: toolCallId } : undefined;
    }
    case 'tool':
      if (event.data.type !== 'TOOL_EXECUTION_FAILED') return undefined;
      return { type: 'call.failed', subject: event.data.invocation_id };
    case 'world':
      if (event.data.type !== 'idle' || event.chatId === null) return undefined;
      return { type: 'chat.idle', subject: event.chatId };
    case 'system':
    case 'crud':
      return undefined;
  }
}

/** What webhooks are told about an event. If a decision follows a signature, both become the same delivery. */
export async function readEvent(reader: Pick<StoreReader, 'approval'>, event: StoredEvent) {
  const happened = happenedIn(event);
  if (happened?.type !== 'answered') return happened;
  const { subject } = happened;
  const status = (await reader.approval(subject))?.status;
  if (status === undefined || status === 'pending') return undefined;
  return { type: status === 'expired' ? 'approval.expired' : 'approval.decided', subject } as const;
}
