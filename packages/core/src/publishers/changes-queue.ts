import { REQUEST_APPROVAL_TOOL } from '@countersign/protocol';
import type { StoredEvent } from '../ports/index.js';
import { isApprovalId } from '../turn/ids.js';

/** Whether a waiting call was added, signed or settled, or who must sign it changed. Each of these writes a message or an event of the approval. */
export function changesQueue(event: StoredEvent): boolean {
  if (event.event === 'message') {
    const { toolCallId, toolCalls } = event.message;
    const isRequest = toolCalls?.some((call) => call.function.name === REQUEST_APPROVAL_TOOL) === true;
    return isRequest || (toolCallId !== null && isApprovalId(toolCallId));
  }
  if (event.event !== 'crud') return false;
  const { entity, operation } = event.data;
  return entity === 'approval' || (operation === 'delete' && (entity === 'chat' || entity === 'world'));
}
