import type { NeededSignatures, WorldEvent } from '@countersign/protocol';
import type { Client } from '../http/client.js';
import type { Refetch } from '../open-view.js';
import { readMessage } from './read-message.js';

interface NeedsAction {
  readonly type: 'needs';
  readonly approvalId: string;
  readonly needs: readonly NeededSignatures[] | undefined;
}

/** The approval whose signers have to be read: its request doesn't say who can sign, or the signatures, people or groups changed. */
export function unreadNeeds(heard: WorldEvent): string | undefined {
  if (heard.event === 'crud') {
    const { entity, operation, id } = heard.data;
    return entity === 'approval' && operation === 'update' ? id : undefined;
  }
  if (heard.event !== 'message' || heard.data.role !== 'assistant') return undefined;
  const meaning = readMessage(heard.data);
  if (meaning.kind !== 'request' || meaning.decision !== undefined) return undefined;
  const { approvalId, needs = [] } = meaning.approval;
  return needs.some(({ mayIds }) => mayIds === undefined) ? approvalId : undefined;
}

export function refetchNeeds(client: Client, world: string, approvalId: string): Refetch<NeedsAction> {
  return {
    name: `needs ${approvalId}`,
    fetch: async (signal) => {
      const { needs } = await client.approval(world, approvalId, { signal });
      return { type: 'needs', approvalId, needs };
    },
  };
}
