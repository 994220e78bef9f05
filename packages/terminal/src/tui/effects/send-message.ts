import { prependToDraft } from '../keys/drafts.js';
import { complain, type EffectHost } from './effect-host.js';

/** A message that failed is put back into the draft of its chat. */
export async function sendMessage(host: EffectHost, text: string, writtenIn: string | undefined): Promise<void> {
  let chatId = writtenIn;
  try {
    chatId ??= await makeChat(host);
    await host.client.send(host.worldId, chatId, { content: text });
  } catch (error) {
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
