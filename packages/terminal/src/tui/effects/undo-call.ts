import { readAll } from '@countersign/client';
import type { UndoableCall } from '@countersign/protocol';
import { screenWords } from '../../words/screen.js';
import type { UndoUi } from '../ui-state.js';
import { complain, say, type EffectHost } from './effect-host.js';

export async function listUndo(host: EffectHost): Promise<void> {
  try {
    const all = await readAll((page) => host.client.undoable(host.worldId, page));
    const { chatId, undo: before } = host.ui();
    const calls = all.filter((call) => call.chatId === chatId);
    const last = before.kind === 'list' ? before.calls[before.picked]?.toolCallId : undefined;
    const picked = Math.max(
      0,
      calls.findIndex((call) => call.toolCallId === last),
    );
    if (before.kind !== 'preview') showUndo(host, { kind: 'list', calls, picked });
  } catch (error) {
    failUndo(host, error);
  }
}

export async function previewUndo(host: EffectHost, call: UndoableCall): Promise<void> {
  try {
    await showPreview(host, call);
  } catch (error) {
    failUndo(host, error);
  }
}

export async function undoCall(host: EffectHost, call: UndoableCall, effectHash: string): Promise<void> {
  try {
    await host.client.undo(host.worldId, call.toolCallId, effectHash);
    closeUndo(host);
    say(host, screenWords.undo.done);
  } catch (error) {
    // Shows what is in conflict, or what undoing it would do now.
    await showPreview(host, call).then(
      () => complain(host, error),
      (again: unknown) => failUndo(host, again),
    );
  }
}

async function showPreview(host: EffectHost, call: UndoableCall): Promise<void> {
  const preview = await host.client.previewUndo(host.worldId, call.toolCallId);
  showUndo(host, { kind: 'preview', call, preview, scroll: 0, shownAt: host.now() });
}

/** Shows a step of undoing, unless the person has closed it in the meantime. */
function showUndo(host: EffectHost, step: UndoUi): void {
  if (host.ui().overlay === 'undo') host.show({ ...host.ui(), undo: step });
}

function failUndo(host: EffectHost, error: unknown): void {
  closeUndo(host);
  complain(host, error);
}

function closeUndo(host: EffectHost): void {
  if (host.ui().overlay === 'undo') host.set({ ...host.ui(), overlay: 'none' });
}
