import type { ApprovalView } from '@countersign/client';
import { branchHere } from '../../chat/branch-chat.js';
import { chatCost } from '../../chat/chat-cost.js';
import { exportChat } from '../../chat/export-chat.js';
import { CommandError } from '../../command-error.js';
import { findChat } from '../../find-things.js';
import { changeDraft } from '../keys/drafts.js';
import type { Effect } from '../ui-state.js';
import { answer, decide } from './decide.js';
import { complain, say, type EffectHost } from './effect-host.js';
import { loadReview } from './load-review.js';
import { sendMessage } from './send-message.js';
import { listUndo, previewUndo, undoCall } from './undo-call.js';
import { plainLine } from '../../text/plain-text.js';
import { chatWords } from '../../words/chat.js';
import { results } from '../../words/results.js';

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
    case 'find-chat':
      void openFound(host, effect.id);
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
    case 'branch':
      void branch(host, effect.text, chatId);
      return;
    case 'export':
      if (chatId === undefined) say(host, chatWords.nothingToExport, true);
      else
        exportChat(client, worldId, chatId, effect.file).then(
          (file) => say(host, plainLine(results.wrote(file))),
          (error: unknown) => complain(host, error),
        );
      return;
    case 'cost':
      if (chatId === undefined) say(host, results.noCost);
      else
        chatCost(client, { world: worldId, chat: chatId }, []).then(
          (lines) => say(host, plainLine(lines.at(-1) ?? '')),
          (error: unknown) => complain(host, error),
        );
      return;
    case 'decide':
      void decide(host, effect.approval, effect.answer);
      return;
    case 'answer':
      void answer(host, effect.approval, effect.words);
      return;
    case 'edit':
      void edit(host, effect.approval);
      return;
    case 'reveal':
      void reveal(host, effect.approvalId);
      return;
    case 'load-review':
      void loadReview(host, effect.approval);
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

async function openFound(host: EffectHost, id: string): Promise<void> {
  try {
    open(host, (await findChat(host.client, host.worldId, id)).id);
  } catch (error) {
    complain(host, error);
  }
}

function open(host: EffectHost, chatId: string): void {
  const ui = host.ui();
  if (chatId === ui.chatId) return;
  host.show({ ...ui, chatId, ...changeDraft(ui, chatId), scroll: { kind: 'end' } });
  host.openChat(chatId);
}

async function branch(host: EffectHost, text: string, chatId: string | undefined): Promise<void> {
  try {
    if (chatId === undefined) throw new CommandError(chatWords.nothingToBranch);
    const { id, title } = await branchHere(host.client, host.worldId, chatId, text);
    open(host, id);
    say(host, plainLine(chatWords.branched(title)));
  } catch (error) {
    complain(host, error);
  }
}

/** Nothing runs: the edited call comes back with its own card (CALL7.4). */
async function edit(host: EffectHost, approval: ApprovalView): Promise<void> {
  try {
    const edited = await host.edit(approval);
    if (edited !== undefined) await decide(host, approval, { decision: 'approve', scope: 'once', arguments: edited });
  } catch (error) {
    complain(host, error);
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
