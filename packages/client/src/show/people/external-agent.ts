import { EXTERNAL_PROVIDER, type Agent } from '@countersign/protocol';
import { rowAt } from '../../state/rows.js';
import type { ChatState } from '../../state/state.js';
import { get } from '../../state/table.js';

/**
 * The agent of a chat in which a program outside proposes its calls and nobody has written: it takes no messages (EXT1). Undefined for other
 * chats. Reads the newest lines first, so that it ends soon in a chat of people.
 */
export function externalAgent({
  transcript,
  messages,
  agents,
}: Pick<ChatState, 'transcript' | 'messages' | 'agents'>): Agent | undefined {
  let found: Agent | undefined;
  for (let position = transcript.length - 1; position >= 0; position -= 1) {
    const speaker = get(messages, rowAt(transcript, position) ?? '')?.speaker;
    if (speaker === undefined || speaker.kind === 'system' || speaker.kind === 'world') continue;
    if (speaker.kind === 'person') return undefined;
    const agent = agents.find(({ id }) => id === speaker.agentId);
    if (agent?.provider !== EXTERNAL_PROVIDER) return undefined;
    found = agent;
  }
  return found;
}
