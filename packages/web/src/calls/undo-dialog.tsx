import { readAll } from '@countersign/client';
import { whyNotUndone } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useChat, useClient } from '../data/connection.js';
import { useMay } from '../data/me.js';
import { useRead } from '../data/use-read.js';
import { Failed, NotRead } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { useTask } from '../data/use-task.js';
import { Confirm } from '../form/confirm.js';
import { say } from '../notices/toast.js';
import { Visible } from '../text/visible.js';
import { callWords } from '../words/calls.js';
import { EffectView } from './effect-view.js';

/** Offers to undo a settled call, whether people or a rule approved it, to people who may sign. The server knows whether it changed files. */
export function UndoButton({ callId }: { callId: string }): ReactElement | null {
  const worldId = useChat((state) => state.worldId);
  const maySign = useMay('sign', worldId);
  const client = useClient();
  const found = useRead({
    key: ['undoable', worldId, callId],
    read: async (signal) => {
      const all = await readAll((page) => client.undoable(worldId, page, { signal }));
      return all.some(({ toolCallId }) => toolCallId === callId);
    },
    forget: true,
    enabled: maySign,
  });
  return maySign && found.kind === 'ready' && found.data ? <Undo worldId={worldId} callId={callId} /> : null;
}

/** The button and the dialog, for a call that can be undone. */
export function Undo({ worldId, callId }: { worldId: string; callId: string }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" icon="reply" onClick={() => setOpen(true)}>
        {callWords.undo}
      </Button>
      {isOpen ? <UndoDialog worldId={worldId} callId={callId} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

/** Shows what undoing the call will do, or why it can't be undone. Nothing happens until the person confirms that. */
function UndoDialog({
  worldId,
  callId,
  onClose,
}: {
  worldId: string;
  callId: string;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const { isBusy, error, run } = useTask();
  const found = useRead({
    key: ['undo', worldId, callId],
    read: (signal) => client.previewUndo(worldId, callId, { signal }),
    forget: true,
  });
  const effect = found.kind === 'ready' && found.data.state === 'ready' ? found.data.effect : undefined;
  const undo = async (): Promise<void> => {
    if (effect === undefined) return;
    const isDone = await run(() => client.undo(worldId, callId, effect.effectHash));
    if (isDone) {
      say(callWords.undone, 'green');
      onClose();
    }
    void found.reread();
  };
  return (
    <Confirm
      title={callWords.undoTitle}
      action={callWords.undoNow}
      icon="reply"
      disabled={effect === undefined || isBusy}
      onConfirm={undo}
      onClose={onClose}
    >
      {found.kind === 'ready' ? null : <NotRead read={found} what={callWords.undoEffect} />}
      {/* If the call can't be undone anymore, the sentence below says why. */}
      {effect === undefined || error === undefined ? null : <Failed why={error} />}
      {effect === undefined ? null : <EffectView approval={{ effect }} foot={callWords.undoFoot} />}
      {found.kind === 'ready' && effect === undefined ? (
        <p role="status">
          <Visible text={whyNotUndone(found.data)} />
        </p>
      ) : null}
    </Confirm>
  );
}
