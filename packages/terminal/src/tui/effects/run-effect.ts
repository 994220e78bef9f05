import type { Effect } from '../ui-state.js';
import { answer, decide } from './decide.js';
import { complain, say, type EffectHost } from './effect-host.js';
import { sendMessage } from './send-message.js';
import { listUndo, previewUndo, undoCall } from './undo-call.js';
import { chatWords } from '../../words/chat.js';

/** Carries out what a key press led to. Failures are shown in the status line. */
export function runEffect(host: EffectHost, effect: Effect): void {
  const { client, worldId } = host;
  const { chatId } = host.ui();
  switch (effect.kind) {
    case 'leave':
      host.leave();
      return;
    case 'open-chat':
      host.openChat(effect.chatId);
      return;
    case 'send':
      void sendMessage(host, effect.text, chatId);
      return;
    case 'stop':
      if (chatId !== undefined)
        client.stop(worldId, chatId).then(
          () => say(host, chatWords.stoppedMessage),
          (error: unknown) => complain(host, error),
        );
      return;
    case 'decide':
      void decide(host, effect.approval, effect.answer);
      return;
    case 'answer':
      void answer(host, effect.approval, effect.words);
      return;
    case 'reveal':
      void reveal(host, effect.approvalId);
      return;
    case 'list-undo':
      void listUndo(host);
      return;
    case 'preview-undo':
      void previewUndo(host, effect.call);
      return;
    case 'undo':
      void undoCall(host, effect.call, effect.effectHash);
      return;
  }
}

async function reveal(host: EffectHost, id: string): Promise<void> {
  try {
    const call = await host.client.reveal(host.worldId, id);
    const ui = host.ui();
    // The revealed call is longer: its end must be seen again before it can be approved.
    const card = { ...ui.card, scroll: 0, isSeen: false, choice: { kind: 'none' } as const };
    host.show({ ...ui, card: { ...card, revealed: { id, arguments: call.arguments } } });
  } catch (error) {
    complain(host, error);
  }
}
