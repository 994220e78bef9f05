import { afterSigning, needsPasskey } from '@countersign/client';
import { describeNeed, RUN_TOOL, type CallBatch } from '@countersign/protocol';
import { type ReactElement, useEffect, useState } from 'react';
import { CallView } from '../../calls/call-view.js';
import { EffectView } from '../../calls/effect-view.js';
import { useClient } from '../../data/connection.js';
import { Checkbox } from '../../form/field.js';
import { Note } from '../../notices/note.js';
import { orSayWhy, say } from '../../notices/toast.js';
import { confirmWith } from '../../passkeys/confirm.js';
import { Visible } from '../../text/visible.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { approvalWords } from '../../words/approvals.js';
import { ReadingArea } from '../card/reading-area.js';
import { useArmed } from '../card/use-armed.js';
import { useEndShown } from '../card/use-end-shown.js';
import type { ShownApproval } from '../shown-approval.js';
import { useChatQueue } from '../use-chat-queue.js';

const words = approvalWords.together;
/** The server takes no more. */
const MOST = 20;

/** The calls of the chat that can be part of a batch. The server decides whether they really can. */
function batchable({ approval }: ShownApproval): boolean {
  return approval.question === undefined && approval.toolName !== RUN_TOOL && approval.sandbox.kind !== 'external';
}

/** A button, while two or more calls of the chat wait that can be decided as one (CHANGE11.12). */
export function ReviewTogether(): ReactElement | null {
  const { queue, find } = useChatQueue();
  const [asked, setAsked] = useState<readonly ShownApproval[]>();
  const calls = queue
    .flatMap((id) => find(id) ?? [])
    .filter(batchable)
    .slice(0, MOST);
  if (asked !== undefined)
    return (
      <Dialog title={words.title} onClose={() => setAsked(undefined)} shape="sheet">
        <Together asked={asked} onClose={() => setAsked(undefined)} />
      </Dialog>
    );
  if (calls.length < 2) return null;
  return (
    <Button size="small" onClick={() => setAsked(calls)}>
      {words.open(calls.length)}
    </Button>
  );
}

/** Rehearses the calls when it appears. */
function Together({ asked, onClose }: { asked: readonly ShownApproval[]; onClose: () => void }): ReactElement {
  const client = useClient();
  const [found, setFound] = useState<{ batch: CallBatch } | { why: string }>();
  useEffect(() => {
    const stop = new AbortController();
    const ids = asked.map(({ approval }) => approval.approvalId);
    client.createBatch(asked[0]?.worldId ?? '', ids, { signal: stop.signal }).then(
      (batch) => setFound({ batch }),
      (error: unknown) => {
        if (!stop.signal.aborted) setFound({ why: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => stop.abort();
  }, [asked, client]);
  if (found === undefined)
    return (
      <p role="status" className="p-4 text-sm text-ink-2">
        {words.rehearsing(asked.length)}
      </p>
    );
  if ('why' in found)
    return (
      <div className="p-4">
        <Note>
          <Visible text={found.why} strict />
        </Note>
      </div>
    );
  return <BatchReview batch={found.batch} asked={asked} onClose={onClose} />;
}

/** All calls and their change in full. Nothing can be approved before the end was on the screen (CALL18). */
function BatchReview({
  batch,
  asked,
  onClose,
}: {
  batch: CallBatch;
  asked: readonly ShownApproval[];
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const end = useEndShown(batch.batchHash);
  const isArmed = useArmed(batch.batchHash);
  const [withLast, setWithLast] = useState(false);
  const [isSending, setIsSending] = useState(false);
  const worldId = asked[0]?.worldId ?? '';
  const agentOf = (id: string): string => asked.find(({ approval }) => approval.approvalId === id)?.agentName ?? '';
  const mayApprove = isArmed && end.wasShown && !isSending;
  const { calls, last, needs, between } = batch;
  const total = calls.length + (last === undefined ? 0 : 1);

  async function send(decision: 'approve' | 'deny'): Promise<void> {
    const { id, batchHash } = batch;
    const decide = async () => {
      const isConfirmed = decision === 'approve' && needsPasskey(needs);
      const action = { kind: 'sign-batch', world: worldId, batch: id, batchHash } as const;
      return await client.decideBatch(worldId, id, {
        ...{ decision, batchHash, approveLast: withLast },
        ...(isConfirmed ? { confirmation: await confirmWith(client, action) } : {}),
      });
    };
    setIsSending(true);
    const reply = await orSayWhy('together', decide());
    setIsSending(false);
    if (reply === undefined) return;
    if (reply.state === 'asked') say(afterSigning(reply.kind !== 'recorded'));
    onClose();
  }

  return (
    <>
      <ReadingArea end={end}>
        <h3 className="text-sm font-semibold">{words.each}</h3>
        {calls.map(({ approvalId, toolName, arguments: args, effect }, index) => (
          <section
            key={approvalId}
            aria-label={approvalWords.place(index + 1, String(total))}
            className="space-y-2 rounded-md border border-line-2 bg-surface p-3"
          >
            <p className="text-xs text-ink-3">
              {approvalWords.place(index + 1, String(total))} · <bdi>{agentOf(approvalId)}</bdi> ·{' '}
              <code>{toolName}</code>
            </p>
            <div className="rounded-md border border-line bg-sunken px-3 py-2">
              <CallView toolName={toolName} args={args} effect={effect} />
            </div>
            <EffectView approval={{ toolName, effect }} foot="" />
          </section>
        ))}
        <h3 className="text-sm font-semibold">{words.total}</h3>
        <section aria-label={words.total} className="space-y-2 rounded-md border border-line-2 bg-surface p-3">
          <EffectView approval={{ effect: batch.effect }} foot={words.meaning} />
          {between.length === 0 ? null : (
            <p className="text-[0.8125rem] [overflow-wrap:anywhere] text-ink-2">
              {words.between}{' '}
              <code>
                <Visible text={between.join(', ')} strict />
              </code>
            </p>
          )}
        </section>
        {last === undefined ? null : (
          <section
            aria-label={approvalWords.place(total, String(total))}
            className="space-y-2 rounded-md border border-amber-line bg-surface p-3"
          >
            <p className="text-xs text-ink-3">
              {approvalWords.place(total, String(total))} · <bdi>{agentOf(last.approvalId)}</bdi> ·{' '}
              <code>{last.toolName}</code>
            </p>
            <div className="rounded-md border border-line bg-sunken px-3 py-2">
              <CallView toolName={last.toolName} args={last.arguments} />
            </div>
            <p className="text-[0.8125rem] text-amber">{words.last(last.why)}</p>
            <Checkbox
              label={words.approveLast}
              checked={withLast}
              onChange={({ target }) => setWithLast(target.checked)}
            />
          </section>
        )}
        {needs === undefined ? null : (
          <p className="text-[0.8125rem] text-ink-2">{needs.map(describeNeed).join(' · ')}</p>
        )}
      </ReadingArea>
      <footer className="flex shrink-0 flex-wrap items-center justify-end gap-2 border-t border-line p-2">
        <p role="status" className="mr-auto text-xs text-ink-3">
          {mayApprove ? '' : approvalWords.several.readFirst}
        </p>
        <Button look="danger" disabled={!isArmed || isSending} onClick={() => void send('deny')}>
          {words.deny}
        </Button>
        <Button look="primary" disabled={!mayApprove} onClick={() => void send('approve')}>
          {words.approve(withLast ? total : calls.length)}
        </Button>
      </footer>
    </>
  );
}
