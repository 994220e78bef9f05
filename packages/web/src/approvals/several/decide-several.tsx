import { effectBrief, namedCallLine } from '@countersign/client';
import type { DecisionResult } from '@countersign/protocol';
import { memo, type ReactElement, useContext, useState } from 'react';
import { useClient } from '../../data/connection.js';
import { orSayWhy } from '../../notices/toast.js';
import { Visible } from '../../text/visible.js';
import { Button } from '../../ui/button.js';
import { cx } from '../../ui/cx.js';
import { Dialog } from '../../ui/dialog.js';
import { approvalWords } from '../../words/approvals.js';
import { type InboxItem, WaitingContext } from '../inbox/use-inbox.js';
import { ConfirmSeveral } from './confirm-several.js';
import { whyAlone } from './why-alone.js';

const words = approvalWords.several;

/** What is shown before a decision doesn't change, so that exactly that is decided. */
export interface Asked {
  readonly decision: 'approve' | 'deny';
  readonly items: readonly InboxItem[];
}

/** The server takes at most 200 at once; fewer show progress. */
const AT_ONCE = 20;

/** `unknown`: the server did not answer. */
type Result = DecisionResult | 'unknown' | 'unsent';

/** Shows calls in full, decides them one by one once that is confirmed, and says what became of each. */
export function DecideSeveral({
  asked,
  onSend,
  onSent,
  onClose,
}: {
  asked: Asked;
  onSend: () => void;
  /** Called with the calls that no longer wait, once all were sent. */
  onSent: (ids: readonly string[]) => void;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const waiting = useContext(WaitingContext);
  const { decision } = asked;
  const items = asked.items.filter((item) => whyAlone(item) === undefined);
  const leftOut = asked.items.filter((item) => whyAlone(item) !== undefined);
  const [results, setResults] = useState<readonly Result[]>();
  const [isSending, setIsSending] = useState(false);

  async function send(): Promise<void> {
    setIsSending(true);
    onSend();
    const found: Result[] = [];
    setResults(found);
    for (let start = 0; start < items.length; start += AT_ONCE) {
      const part = items.slice(start, start + AT_ONCE);
      const sent = part.map(({ worldId, approval }) => ({
        ...{ worldId, tool_call_id: approval.approvalId, decision, callHash: approval.callHash },
      }));
      const answers = await orSayWhy('several', client.decideSeveral(sent));
      // What became of these is unknown, so nothing else is sent.
      found.push(...(answers ?? part.map(() => 'unknown' as const)));
      if (answers === undefined) found.push(...items.slice(found.length).map(() => 'unsent' as const));
      setResults([...found]);
      if (answers === undefined) break;
    }
    onSent(
      found.flatMap((result) =>
        typeof result === 'object' && result.kind === 'recorded' && result.state !== 'asked' ? result.tool_call_id : [],
      ),
    );
    for (const id of new Set(items.map(({ worldId }) => worldId))) waiting?.look(id);
    setIsSending(false);
  }

  return (
    <Dialog
      title={results === undefined ? words.confirm[decision](items.length) : words.results}
      onClose={() => (isSending ? undefined : onClose())}
      shape="sheet"
    >
      {results === undefined ? (
        <ConfirmSeveral
          decision={decision}
          items={items}
          leftOut={<LeftOut items={leftOut} />}
          onBack={onClose}
          onConfirm={() => void send()}
        />
      ) : (
        <>
          <ul aria-label={words.results} className="scroll-quiet min-h-0 flex-1 space-y-1 overflow-y-auto p-2 text-sm">
            {items.map((item, index) => (
              <ResultRow key={item.approval.approvalId} item={item} result={results[index]} decision={decision} />
            ))}
          </ul>
          <LeftOut items={leftOut} />
          <footer className="flex shrink-0 items-center justify-end gap-2 border-t border-line p-2">
            <p role="status" className="mr-auto text-sm text-ink-2">
              {isSending
                ? words.deciding(results.length, items.length)
                : words.done(results.filter(isDecided).length, items.length)}
            </p>
            <Button disabled={isSending} onClick={onClose}>
              {approvalWords.close}
            </Button>
          </footer>
        </>
      )}
    </Dialog>
  );
}

/** Each part of the calls that is decided renders only its own rows. */
const ResultRow = memo(function ResultRow({
  item,
  result,
  decision,
}: {
  item: InboxItem;
  result: Result | undefined;
  decision: Asked['decision'];
}): ReactElement {
  return (
    <li className="flex gap-2 border-b border-line pb-1 [contain-intrinsic-size:auto_2.75rem] [content-visibility:auto] last:border-b-0">
      <Line item={item} />
      <span
        className={cx(
          'max-w-[50%] shrink-0',
          isDecided(result) ? 'font-medium' : result === undefined ? 'text-ink-3' : 'text-red',
        )}
      >
        {resultText(result, decision)}
      </span>
    </li>
  );
});

function LeftOut({ items }: { items: readonly InboxItem[] }): ReactElement | null {
  if (items.length === 0) return null;
  return (
    <div className="px-2 py-1 text-sm text-ink-2">
      <p>{words.leftOut(items.length)}</p>
      <ul className="scroll-quiet max-h-[20dvh] overflow-y-auto">
        {items.map((item) => (
          <li key={item.approval.approvalId} className="flex gap-2">
            <Line item={item} />
            <span className="shrink-0">{whyAlone(item)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** One call on one line. The confirmation shows it in full. */
function Line({ item: { worldName, agentName, approval } }: { item: InboxItem }): ReactElement {
  return (
    <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
      <span className="text-ink-3">
        <bdi>{worldName}</bdi> · <bdi>{agentName}</bdi>
      </span>{' '}
      <code className="line-clamp-2">
        <Visible text={approval.question?.text ?? namedCallLine(approval.toolName, approval.arguments)} strict />
      </code>
      <span className="text-ink-2">{effectBrief(approval)}</span>
    </span>
  );
}

function isDecided(result: Result | undefined): boolean {
  return typeof result === 'object' && result.status === 200;
}

function resultText(result: Result | undefined, decision: Asked['decision']): string {
  if (result === undefined) return words.pending;
  if (result === 'unknown') return words.unknown;
  if (result === 'unsent') return words.notSent;
  const { status, kind, state, detail = '' } = result;
  if (status !== 200) return words.failed(detail);
  if (state === 'asked') return words.signed;
  if (kind === 'repeated') return words.before;
  return decision === 'approve' ? words.approved : words.denied;
}
