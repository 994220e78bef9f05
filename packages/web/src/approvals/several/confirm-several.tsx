import type { ReactElement, ReactNode } from 'react';
import { CallView } from '../../calls/call-view.js';
import { EffectView } from '../../calls/effect-view.js';
import { useClient } from '../../data/connection.js';
import { orSayWhy } from '../../notices/toast.js';
import { Button } from '../../ui/button.js';
import { approvalWords } from '../../words/approvals.js';
import { Circumstances } from '../card/circumstances.js';
import { ReadingArea } from '../card/reading-area.js';
import { useArmed } from '../card/use-armed.js';
import { useEndShown } from '../card/use-end-shown.js';
import { useReader } from '../for-you.js';
import type { InboxItem } from '../inbox/use-inbox.js';

const words = approvalWords.several;

/** All calls in full. The button works only after the end of the list was on the screen, and not in the first second (CALL18). */
export function ConfirmSeveral({
  decision,
  items,
  leftOut,
  onBack,
  onConfirm,
}: {
  decision: 'approve' | 'deny';
  items: readonly InboxItem[];
  /** The calls that must be decided on their own. */
  leftOut: ReactNode;
  onBack: () => void;
  onConfirm: () => void;
}): ReactElement {
  const client = useClient();
  const readerOf = useReader();
  const ids = items.map(({ approval }) => approval.approvalId).join(' ');
  const end = useEndShown(ids);
  const isArmed = useArmed(ids);
  const mayConfirm = isArmed && end.wasShown && items.length > 0;
  return (
    <>
      <ReadingArea end={end}>
        {items.map(({ worldId, worldName, agentName, approval }, index) => (
          <section
            key={approval.approvalId}
            aria-label={approvalWords.place(index + 1, String(items.length))}
            className="space-y-2 rounded-md border border-line-2 bg-surface p-3"
          >
            <p className="text-xs text-ink-3">
              {approvalWords.place(index + 1, String(items.length))} · <bdi>{worldName}</bdi> · <bdi>{agentName}</bdi> ·{' '}
              <code>{approval.toolName}</code>
            </p>
            <div className="rounded-md border border-line bg-sunken px-3 py-2">
              <CallView
                toolName={approval.toolName}
                args={approval.arguments}
                preview={approval.preview}
                effect={approval.effect ?? approval.prediction}
                noEffect={approval.noEffect}
              />
            </div>
            <EffectView
              approval={approval}
              onShowAll={() =>
                orSayWhy(`effect-${approval.approvalId}`, client.wholeEffect(worldId, approval.approvalId))
              }
            />
            <Circumstances approval={approval} me={readerOf(worldId)} />
          </section>
        ))}
      </ReadingArea>
      {leftOut}
      <footer className="flex shrink-0 flex-wrap items-center justify-end gap-2 border-t border-line p-2">
        <p role="status" className="mr-auto text-xs text-ink-3">
          {mayConfirm ? '' : words.readFirst}
        </p>
        <Button look="quiet" onClick={onBack}>
          {approvalWords.back}
        </Button>
        <Button look={decision === 'approve' ? 'primary' : 'danger'} disabled={!mayConfirm} onClick={onConfirm}>
          {words.confirm[decision](items.length)}
        </Button>
      </footer>
    </>
  );
}
