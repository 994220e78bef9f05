import { prependToDraft } from '../keys/drafts.js';
import type { Unsent } from '../ui-state.js';
import { complain, type EffectHost } from './effect-host.js';

/** A message is listed as unsent until the server has it: a server that is away may take long. If it failed, it is put back into the draft of its chat. */
export async function sendMessage(host: EffectHost, text: string, writtenIn: string | undefined): Promise<void> {
  let chatId = writtenIn;
  let unsent: Unsent = { chatId, text };
  host.show({ ...host.ui(), unsent: [...host.ui().unsent, unsent] });
  const replace = (next: readonly Unsent[]): void => {
    const ui = host.ui();
    host.show({ ...ui, unsent: ui.unsent.flatMap((each) => (each === unsent ? next : [each])) });
  };
  try {
    if (chatId === undefined) {
      chatId = await makeChat(host);
      const moved = { chatId, text };
      replace([moved]);
      unsent = moved;
    }
    await host.client.send(host.worldId, chatId, { content: text });
    replace([]);
  } catch (error) {
    replace([]);
    host.show(prependToDraft(host.ui(), chatId, text));
    complain(host, error);
  }
}

async function makeChat(host: EffectHost): Promise<string> {
  const { id } = await host.client.createChat(host.worldId);
  // If the person has opened another chat in the meantime, stay there.
  if (host.ui().chatId === undefined) {
    host.show({ ...host.ui(), chatId: id });
    host.openChat(id);
  }
  return id;
}
