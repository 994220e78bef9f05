import { policyLines } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useClient, useWorld } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { NotRead, Page } from '../shell/frame.js';
import { Guarded } from '../shell/guarded.js';
import { paths } from '../shell/paths.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Section } from '../ui/section.js';
import { Visible } from '../text/visible.js';
import { AddRule } from './add-rule.js';
import { PolicyTester } from './policy-tester.js';
import { RuleRows } from './rule-rows.js';
import { type Draft, RuleText } from './rule-text.js';
import { SuggestedRules } from './suggested-rules.js';
import { policyWords } from '../words/policy.js';

/** The search part of the address of the rules as text. */
const AS_TEXT = 'as=text';

export default function PolicyPage(): ReactElement {
  const client = useClient();
  const worldId = useWorld((state) => state.worldId);
  const revision = useWorld((state) => state.revisions.policy ?? 0);
  const policy = useRead({ key: ['policy', worldId], revision, read: (signal) => client.policy(worldId, { signal }) });
  const uses = useRead({
    key: ['rule-uses', worldId],
    revision,
    read: async (signal) => (await client.ruleUses(worldId, { signal })).items,
    everyMs: 15_000,
  });
  const [draft, setDraft] = useState<Draft>();
  /** The rule that is being added; empty text is a new one. */
  const [adding, setAdding] = useState<string>();
  const isText = useSearch() === AS_TEXT;
  const [, go] = useLocation();
  if (policy.kind !== 'ready') return <NotRead read={policy} what={policyWords.thePolicy} title={policyWords.title} />;
  const { value, etag = '' } = policy.data;
  const stored = { ...value, etag };
  const written = value.rules.join('\n');
  const isChanged = draft !== undefined && draft.text !== written;
  const here = paths.page(worldId, 'policy');
  return (
    <Page
      title={policyWords.title}
      wide
      lead={policyWords.lead}
      actions={
        <Button
          size="small"
          role="switch"
          aria-checked={isText}
          {...(isText ? { icon: 'check' as const } : {})}
          onClick={() => go(isText ? here : `${here}?${AS_TEXT}`, { replace: true })}
        >
          {policyWords.asText}
        </Button>
      }
    >
      <div className="grid gap-6 lg:grid-cols-[3fr_2fr]">
        <div className="min-w-0">
          <Guarded needs="admin" worldId={worldId}>
            {isText ? (
              <RuleText {...{ worldId, draft }} policy={stored} onDraft={setDraft} />
            ) : (
              <>
                <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
                  <h2 className="font-semibold">{policyWords.rules}</h2>
                  <Button look="primary" icon="plus" disabled={adding !== undefined} onClick={() => setAdding('')}>
                    {policyWords.addRule}
                  </Button>
                </div>
                {isChanged ? <p className="mb-3 text-sm text-amber">{policyWords.unsavedText}</p> : null}
                {adding === undefined ? null : (
                  <AddRule
                    key={adding}
                    {...{ worldId, etag }}
                    stored={value.rules}
                    rule={adding}
                    onDone={() => setAdding(undefined)}
                  />
                )}
                <RuleRows
                  worldId={worldId}
                  policy={stored}
                  uses={uses.kind === 'ready' ? new Map(uses.data.map((use) => [use.rule, use])) : undefined}
                />
              </>
            )}
            <div className="mt-6">
              <Proposed
                rules={value.proposed}
                onTake={(rule) =>
                  isText
                    ? setDraft((now) => {
                        const text = now?.text ?? written;
                        const start = text === '' || text.endsWith('\n') ? text : `${text}\n`;
                        return { text: `${start}${rule}`, etag: now?.etag ?? etag };
                      })
                    : setAdding(rule)
                }
              />
              {isText ? null : <SuggestedRules worldId={worldId} stored={value.rules} onTake={setAdding} />}
            </div>
          </Guarded>
        </div>
        <Card className="self-start p-4">
          <PolicyTester worldId={worldId} rules={isChanged ? policyLines(draft.text) : undefined} />
        </Card>
      </div>
    </Page>
  );
}

/** Allow rules from an import. They have no effect until a person accepts them. */
function Proposed({
  rules,
  onTake,
}: {
  rules: readonly string[];
  onTake: (rule: string) => void;
}): ReactElement | null {
  if (rules.length === 0) return null;
  return (
    <Section title={policyWords.proposed}>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {rules.map((rule) => (
          <li key={rule} className="flex items-center gap-2 px-3 py-1.5">
            <code className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <Visible text={rule} strict />
            </code>
            <Button size="small" onClick={() => onTake(rule)}>
              {policyWords.acceptRule}
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
