import { callLine } from '@countersign/client';
import type { SuggestedCall } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { useSuggestedRules } from '../data/use-suggested-rules.js';
import { Button } from '../ui/button.js';
import { RowList } from '../ui/row-list.js';
import { Section } from '../ui/section.js';
import { Visible } from '../text/visible.js';
import { policyWords } from '../words/policy.js';

/** Rules that would have saved questions, each with its proof. */
export function SuggestedRules({
  worldId,
  stored,
  onTake,
}: {
  worldId: string;
  stored: readonly string[];
  onTake: (rule: string) => void;
}): ReactElement | null {
  const suggested = useSuggestedRules(worldId);
  const items = suggested.kind === 'ready' ? suggested.data.filter(({ rule }) => !stored.includes(rule)) : [];
  if (items.length === 0) return null;
  return (
    <Section title={policyWords.suggested} lead={policyWords.suggestedLead}>
      <RowList items={items} keyOf={({ rule }) => rule}>
        {(item, row) => (
          <>
            <div className="min-w-0 flex-1 basis-60">
              <code id={row.id} className="[overflow-wrap:anywhere]">
                <Visible text={item.rule} strict />
              </code>
              <p className="text-[0.8125rem] text-ink-2">{policyWords.saves(item.saves, item.savesLater)}</p>
              <details className="text-[0.8125rem] text-ink-2">
                <summary className="cursor-pointer">{policyWords.proof(item.covered, item.nearest.length)}</summary>
                <Calls title={policyWords.allowed(item.covered)} rule={item.rule} calls={item.covers} />
                <Calls title={policyWords.stillAsks} rule={item.rule} calls={item.nearest} />
              </details>
            </div>
            <Button {...row.button} onClick={() => onTake(item.rule)}>
              {policyWords.useRule}
            </Button>
          </>
        )}
      </RowList>
    </Section>
  );
}

/** Equal calls are one line with their number. */
function Calls({
  title,
  rule,
  calls,
}: {
  title: string;
  rule: string;
  calls: readonly SuggestedCall[];
}): ReactElement | null {
  if (calls.length === 0) return null;
  const tool = /^allow ([^\s(]+)/.exec(rule)?.[1] ?? '';
  const counts = new Map<string, number>();
  for (const call of calls) {
    const line = callLine(tool, call.arguments);
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return (
    <>
      <p className="mt-1 font-medium">{title}</p>
      <ul className="list-disc pl-5">
        {[...counts].map(([line, count]) => (
          <li key={line} className="[overflow-wrap:anywhere]">
            <code>
              <Visible text={line} strict />
            </code>
            {count === 1 ? null : ` ×${count}`}
          </li>
        ))}
      </ul>
    </>
  );
}
