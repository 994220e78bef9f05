import { coveredText } from '@countersign/client';
import { endOfDay, endText, withEnd, type CoveredCall, type PolicyMatch } from '@countersign/protocol';
import { type ReactElement, useEffect, useId, useRef, useState } from 'react';
import { Select, TextArea, TextField } from '../../form/field.js';
import { Visible } from '../../text/visible.js';
import { approvalWords } from '../../words/approvals.js';

/** Calls in this chat that a rule would have allowed. `more`: older ones exist. Those in `waiting` run immediately. */
export interface Matched {
  lines: readonly string[];
  more: boolean;
  waiting: readonly CoveredCall[];
}

/** Shows the rule that "always" adds, lets the person edit it, and lists other calls in this chat that it would have allowed. */
export function AlwaysForm({
  rule,
  found,
  onRule,
}: {
  rule: string;
  found: MatchState;
  onRule: (rule: string) => void;
}): ReactElement {
  const titleId = useId();
  const box = useRef<HTMLFieldSetElement>(null);
  useEffect(() => box.current?.querySelector('textarea')?.focus(), []);
  return (
    <fieldset ref={box} aria-labelledby={titleId} className="space-y-2">
      <p id={titleId} className="text-sm font-semibold">
        {approvalWords.ruleTitle}
      </p>
      <TextArea
        label={approvalWords.ruleLabel}
        hint={approvalWords.ruleHint}
        mono
        rows={Math.min(6, Math.max(2, Math.ceil(rule.length / 40)))}
        value={rule}
        onChange={(event) => onRule(event.target.value)}
      />
      <RuleEnd onEnd={(end) => onRule(withEnd(rule, end))} />
      {rule.trim() === '' ? null : <AlsoMatched found={found} />}
    </fieldset>
  );
}

const ENDS = Object.keys(approvalWords.ruleEnds) as readonly (keyof typeof approvalWords.ruleEnds)[];

/** When the rule ends. Days are those of this browser; the rule has their end as a time. */
function RuleEnd({ onEnd }: { onEnd: (end: string) => void }): ReactElement {
  const [kind, setKind] = useState<(typeof ENDS)[number]>('never');
  const today = new Date().toLocaleDateString('sv');
  const until = (at: number): string => `until ${endText(endOfDay(at))}`;
  const choose = (next: (typeof ENDS)[number]): void => {
    setKind(next);
    // A date starts as today: a rule whose date was never chosen must not last.
    onEnd({ never: '', hour: 'for 1h', today: until(Date.now()), date: until(Date.now()) }[next]);
  };
  return (
    <div className="flex flex-wrap gap-2 [&>*]:min-w-36 [&>*]:flex-1">
      <Select
        label={approvalWords.ruleEnd}
        options={ENDS.map((value) => ({ value, label: approvalWords.ruleEnds[value] }))}
        value={kind}
        onChange={({ target }) => choose(ENDS.find((end) => end === target.value) ?? 'never')}
      />
      {kind === 'date' ? (
        <TextField
          label={approvalWords.ruleLastDay}
          type="date"
          min={today}
          defaultValue={today}
          onChange={({ target }) =>
            onEnd(until(target.value === '' ? Date.now() : Date.parse(`${target.value}T12:00`)))
          }
        />
      ) : null}
    </div>
  );
}

export type MatchState = { kind: 'looking' } | { kind: 'found'; matched: Matched } | { kind: 'failed'; why: string };

/** The result for exactly this rule or grant, never for the previous one. */
export function useMatchState(
  wanted: PolicyMatch | undefined,
  matches: (wanted: PolicyMatch) => Promise<Matched>,
): MatchState {
  const key = wanted === undefined ? '' : JSON.stringify(wanted);
  const [last, setLast] = useState<{ key: string; found: MatchState }>();
  // The function is new on each render; depending on it would send requests in a loop.
  const ask = useRef(matches);
  ask.current = matches;
  useEffect(() => {
    if (key === '') return;
    let current = true;
    const tell = (found: MatchState): void => {
      if (current) setLast({ key, found });
    };
    const timer = setTimeout(() => {
      ask.current(JSON.parse(key) as PolicyMatch).then(
        (matched) => tell({ kind: 'found', matched }),
        (error: unknown) => tell({ kind: 'failed', why: error instanceof Error ? error.message : '' }),
      );
    }, 250);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [key]);
  return last?.key === key ? last.found : { kind: 'looking' };
}

/** Says that the card lists waiting calls, which run too. */
export function WaitingCount({ count }: { count: number }): ReactElement | null {
  if (count === 0) return null;
  return <p className="font-medium text-amber">{approvalWords.listedAbove(coveredText(count, 'now'))}</p>;
}

function AlsoMatched({ found }: { found: MatchState }): ReactElement {
  return (
    <div aria-live="polite" className="text-[0.8125rem] text-ink-2">
      {found.kind === 'looking' ? <p className="text-ink-3">{approvalWords.findingMatches}</p> : null}
      {found.kind === 'failed' ? <p className="text-red">{found.why}</p> : null}
      {found.kind === 'found' ? (
        <>
          <WaitingCount count={found.matched.waiting.length} />
          <p>
            {found.matched.lines.length === 0
              ? approvalWords.noMatches
              : approvalWords.matches(found.matched.lines.length, found.matched.more)}
          </p>
          <ul className="scroll-quiet mt-1 max-h-28 overflow-y-auto">
            {found.matched.lines.map((line) => (
              <li key={line} className="truncate">
                <code>
                  <Visible text={line} strict />
                </code>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  );
}
