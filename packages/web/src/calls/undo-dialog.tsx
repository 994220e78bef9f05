import { readAll } from '@countersign/client';
import { whyNotUndone } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useChat, useClient } from '../data/connection.js';
import { useMay } from '../data/me.js';
import { useRead } from '../data/use-read.js';
import { Failed, Loading } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { say } from '../notices/toast.js';
import { Visible } from '../text/visible.js';
import { callWords } from '../words/calls.js';
import { EffectView } from './effect-view.js';

/** Offers to undo a settled call, whether people or a rule approved it, to people who may sign. The server knows whether it changed files. */
export function UndoButton({ callId }: { callId: string }): ReactElement | null {
  const worldId = useChat((state) => state.worldId);
  const maySign = useMay('sign', worldId);
  const client = useClient();
  const [isOpen, setOpen] = useState(false);
  const found = useRead({
    key: ['undoable', worldId, callId],
    read: async (signal) => {
      const all = await readAll((page) => client.undoable(worldId, page, { signal }));
      return all.some(({ toolCallId }) => toolCallId === callId);
    },
    forget: true,
    enabled: maySign,
  });
  if (!maySign || found.kind !== 'ready' || !found.data) return null;
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
  const [isSending, setSending] = useState(false);
  const [why, setWhy] = useState<string>();
  const found = useRead({
    key: ['undo', worldId, callId],
    read: (signal) => client.previewUndo(worldId, callId, { signal }),
    forget: true,
  });
  const effect = found.kind === 'ready' && found.data.state === 'ready' ? found.data.effect : undefined;
  const undo = async (effectHash: string): Promise<void> => {
    setSending(true);
    setWhy(undefined);
    try {
      await client.undo(worldId, callId, effectHash);
      say(callWords.undone, 'green');
      onClose();
    } catch (error) {
      setWhy(error instanceof Error ? error.message : callWords.undoFailed);
    }
    setSending(false);
    void found.reread();
  };
  return (
    <Dialog title={callWords.undoTitle} onClose={onClose}>
      {found.kind === 'loading' ? <Loading what={callWords.undoEffect} /> : null}
      {found.kind === 'failed' ? <Failed why={found.why} onRetry={found.retry} /> : null}
      {/* If the call can't be undone anymore, the sentence below says why. */}
      {effect === undefined || why === undefined ? null : <Failed why={why} />}
      {effect === undefined ? null : <EffectView approval={{ effect }} foot={callWords.undoFoot} />}
      {found.kind === 'ready' && effect === undefined ? (
        <p role="status" className="text-sm [overflow-wrap:anywhere]">
          <Visible text={whyNotUndone(found.data)} />
        </p>
      ) : null}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>{callWords.cancel}</Button>
        <Button
          look="danger"
          icon="reply"
          disabled={effect === undefined || isSending}
          onClick={() => (effect === undefined ? undefined : void undo(effect.effectHash))}
        >
          {callWords.undoNow}
        </Button>
      </div>
    </Dialog>
  );
}
