import { ClientError, readAll, type Client } from '@countersign/client';
import type { Approval } from '@countersign/protocol';
import { CommandError } from '../command-error.js';
import { cardWords } from '../words/cards.js';

/** Edits a waiting call. Nothing runs: returns the approval of the edited call (CALL7.4), or of the same one if something else changed. */
export async function editCall(
  client: Client,
  world: string,
  shown: Approval,
  edited: Record<string, unknown>,
): Promise<{ approval: Approval; detail: string }> {
  try {
    await client.decide(world, shown, { decision: 'approve', arguments: edited });
  } catch (error) {
    if (!(error instanceof ClientError) || error.status !== 409 || error.state !== 'asked') throw error;
    const { chatId: chat, toolCallId } = shown;
    const waiting = await readAll((page) => client.approvals(world, { chat, ...page }));
    const approval = waiting.find((each) => each.toolCallId === toolCallId);
    if (approval === undefined) throw error;
    return { approval, detail: error.detail };
  }
  throw new CommandError(cardWords.notApproved);
}
