import { heldText, allBlockingApprovals } from '@countersign/client';
import { type ReactElement, useState } from 'react';
import { useAnswer } from '../approvals/use-answer.js';
import { useChat, useChatStore, useWorld } from '../data/connection.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { chatWords } from '../words/chat.js';

/** Says that a message is queued behind an approval, and offers to deny the calls that block it (WORLD11). */
export function WaitingNote(): ReactElement | null {
  const store = useChatStore();
  const mainAgent = useWorld(({ world }) => world?.mainAgent);
  const why = useChat((state) => {
    const held = allBlockingApprovals(state, mainAgent);
    return held.length === 0 ? undefined : heldText(state, held);
  });
  const { decide } = useAnswer();
  const [busy, setBusy] = useState(false);
  if (why === undefined) return null;
  const clear = async (): Promise<void> => {
    setBusy(true);
    const state = store.getState();
    for (const approval of allBlockingApprovals(state, mainAgent))
      await decide(
        { worldId: state.worldId, approval, agentName: '' },
        { decision: 'deny', reason: chatWords.newerMessage },
      );
    setBusy(false);
  };
  return (
    <div className="mx-auto mb-2 flex w-full max-w-[56rem] flex-wrap items-center gap-2 rounded-lg border border-amber-line bg-amber-soft px-3 py-1.5 text-sm text-amber">
      <Icon name="hourglass" />
      <span className="min-w-0 flex-1">
        {chatWords.messageKept} {why}
      </span>
      <Button size="small" disabled={busy} onClick={() => void clear()}>
        {chatWords.denyAll}
      </Button>
    </div>
  );
}
