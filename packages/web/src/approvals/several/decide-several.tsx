import { effectText, needsPasskey, namedCallLine } from '@countersign/client';
import type { DecisionResult } from '@countersign/protocol';
import { type ReactElement, useContext, useState } from 'react';
import { useClient } from '../../data/connection.js';
import { Checkbox } from '../../form/field.js';
import { orSayWhy } from '../../notices/toast.js';
import { Visible } from '../../text/visible.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { approvalWords } from '../../words/approvals.js';
import { type InboxItem, WaitingContext } from '../inbox/use-inbox.js';
import { ConfirmSeveral } from './confirm-several.js';

const words = approvalWords.several;
type Decision = 'approve' | 'deny';

/** What is shown before a decision doesn't change, so that exactly that is decided. */
interface Asked {
  readonly decision: Decision;
  readonly items: readonly InboxItem[];
}

/** The server takes at most 200 at once; fewer show progress. */
const AT_ONCE = 20;

const idOf = ({ approval }: InboxItem): string => approval.approvalId;
/** Such a call can't be decided with others. */
const whyAlone = ({ approval }: InboxItem): string | undefined => {
  if (approval.question !== undefined) return words.isQuestion;
  return needsPasskey(approval.needs) ? words.needsPasskey : undefined;
};

/** Whether there are calls that can be decided together. */
export function areSeveral(items: readonly InboxItem[]): boolean {
  return items.filter((item) => whyAlone(item) === undefined).length > 1;
}

/** Chooses several calls, shows them in full, decides them one by one, and says what became of each. */
export function DecideSeveral({
  items,
  onDecided,
  onClose,
}: {
  items: readonly InboxItem[];
  /** Called with the calls that no longer wait. */
  onDecided: (ids: readonly string[]) => void;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const waiting = useContext(WaitingContext);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<Asked>();
  const [results, setResults] = useState<readonly (DecisionResult & { item: InboxItem; decision: Decision })[]>([]);
  const [sending, setSending] = useState<{ done: number; total: number }>();
  const decided = new Set(results.filter(({ status }) => status === 200).map(({ item }) => idOf(item)));
  const free = items.filter((item) => whyAlone(item) === undefined && !decided.has(idOf(item)));
  const alone = items.filter((item) => whyAlone(item) !== undefined);
  const picked = free.filter((item) => chosen.has(idOf(item)));
  const rest = free.filter((item) => !chosen.has(idOf(item)));

  async function send({ decision, items: shown }: Asked): Promise<void> {
    setSending({ done: 0, total: shown.length });
    for (let start = 0; start < shown.length; start += AT_ONCE) {
      const part = shown.slice(start, start + AT_ONCE);
      const sent = part.map(({ worldId, approval }) => ({
        ...{ worldId, tool_call_id: approval.approvalId, decision, callHash: approval.callHash },
      }));
      const answers = await orSayWhy('several', client.decideSeveral(sent));
      // What became of these is unknown, so nothing else is sent.
      if (answers === undefined) break;
      setResults((before) => [
        ...before,
        ...answers.flatMap((answer, index) => {
          const item = part[index];
          return item === undefined ? [] : [{ ...answer, item, decision }];
        }),
      ]);
      onDecided(
        answers
          .filter(({ kind, state }) => kind === 'recorded' && state !== 'asked')
          .map(({ tool_call_id }) => tool_call_id),
      );
      setSending({ done: start + part.length, total: shown.length });
    }
    for (const id of new Set(shown.map(({ worldId }) => worldId))) waiting?.look(id);
    setSending(undefined);
    setChosen(new Set());
    setAsked(undefined);
  }

  if (asked !== undefined)
    return (
      <Dialog title={words.confirm[asked.decision](asked.items.length)} onClose={onClose} shape="sheet">
        <ConfirmSeveral
          {...asked}
          status={sending === undefined ? undefined : words.deciding(sending.done, sending.total)}
          onBack={() => setAsked(undefined)}
          onConfirm={() => void send(asked)}
        />
      </Dialog>
    );
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <Dialog title={words.title} onClose={onClose}>
      <div className="space-y-4">
        {results.length === 0 ? null : (
          <ul role="status" className="space-y-1 rounded-md border border-line bg-sunken px-3 py-2 text-sm">
            {results.map((result) => (
              <li key={`${idOf(result.item)} ${result.decision}`} className="flex gap-2">
                <Line item={result.item} />
                <span className={result.status === 200 ? 'shrink-0 font-medium' : 'font-medium text-red'}>
                  {resultText(result)}
                </span>
              </li>
            ))}
          </ul>
        )}
        {free.length === 0 ? null : (
          <>
            <p className="text-sm text-ink-2">{words.lead}</p>
            <Checkbox
              label={words.selectAll}
              checked={picked.length === free.length}
              onChange={({ target }) => setChosen(new Set(target.checked ? free.map(idOf) : []))}
            />
            <ul className="space-y-1.5">
              {free.map((item) => (
                <li key={idOf(item)}>
                  <Checkbox
                    label={<Line item={item} />}
                    checked={chosen.has(idOf(item))}
                    onChange={() => toggle(idOf(item))}
                  />
                </li>
              ))}
            </ul>
          </>
        )}
        {alone.length === 0 ? null : (
          <div className="text-sm text-ink-2">
            <p>{words.leftOut(alone.length)}</p>
            <ul>
              {alone.map((item) => (
                <li key={idOf(item)} className="flex gap-2">
                  <Line item={item} />
                  <span className="shrink-0">{whyAlone(item)}</span>
                </li>
              ))}
            </ul>
          </div>
        )}
        {free.length === 0 ? null : (
          <div className="flex flex-wrap justify-end gap-2">
            {picked.length === 0 || rest.length === 0 ? null : (
              <Button look="danger" onClick={() => setAsked({ decision: 'deny', items: rest })}>
                {words.denyRest(rest.length)}
              </Button>
            )}
            <Button
              look="danger"
              disabled={picked.length === 0}
              onClick={() => setAsked({ decision: 'deny', items: picked })}
            >
              {words.deny(picked.length)}
            </Button>
            <Button
              look="primary"
              disabled={picked.length === 0}
              onClick={() => setAsked({ decision: 'approve', items: picked })}
            >
              {words.approve(picked.length)}
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

/** One call on one line, to choose it. The confirmation shows it in full. */
function Line({ item: { worldName, agentName, approval } }: { item: InboxItem }): ReactElement {
  const effect = effectText(approval)?.sentence;
  return (
    <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
      <span className="text-ink-3">
        <bdi>{worldName}</bdi> · <bdi>{agentName}</bdi>
      </span>{' '}
      <code className="line-clamp-2">
        <Visible text={approval.question?.text ?? namedCallLine(approval.toolName, approval.arguments)} strict />
      </code>
      {effect === undefined ? null : <span className="text-ink-2">{effect}</span>}
    </span>
  );
}

function resultText({ status, kind, state, detail = '', decision }: DecisionResult & { decision: Decision }): string {
  if (status !== 200) return words.failed(detail);
  if (state === 'asked') return words.signed;
  if (kind === 'repeated') return words.before;
  return decision === 'approve' ? words.approved : words.denied;
}
