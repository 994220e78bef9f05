import { ClientError, ruleWarningText } from '@countersign/client';
import { isRule, policyLines, type CoveredCall, type RuleWarning } from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { CoveredCalls } from '../approvals/card/covered-calls.js';
import { useClient, useWorld } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { NotRead, Page } from '../shell/frame.js';
import { Guarded } from '../shell/guarded.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { TextArea } from '../form/field.js';
import { Visible } from '../text/visible.js';
import { PolicyTester } from './policy-tester.js';
import { useSaving } from '../form/use-saving.js';
import { policyWords } from '../words/policy.js';

export default function PolicyPage(): ReactElement {
  const client = useClient();
  const queries = useQueryClient();
  const worldId = useWorld((state) => state.worldId);
  const revision = useWorld((state) => state.revisions.policy ?? 0);
  const policy = useRead({ key: ['policy', worldId], revision, read: (signal) => client.policy(worldId, { signal }) });
  // Unchanged text follows the server; edited text is kept until the person saves or discards it.
  const [draft, setDraft] = useState<{ text: string; etag: string }>();
  const saving = useSaving();
  const [covered, setCovered] = useState<{ key: string; calls: readonly CoveredCall[] }>();
  if (policy.kind !== 'ready') return <NotRead read={policy} what={policyWords.thePolicy} title={policyWords.title} />;
  const written = policy.data.value.rules.join('\n');
  const etag = policy.data.etag ?? '';
  const isChanged = draft !== undefined && draft.text !== written;
  const isStale = draft !== undefined && draft.etag !== etag;
  const text = draft?.text ?? written;
  const lines = policyLines(text);
  const count = lines.filter(isRule).length;
  // A warning is about the stored text: it disappears when its line is edited or moved.
  const warnings = (policy.data.value.warnings ?? []).filter(({ line, rule }) => lines[line - 1] === rule);
  const added = lines.filter((line) => isRule(line) && !policy.data.value.rules.includes(line));
  /** Lists the waiting calls that new rules would run, before the rules are saved (CALL5). An invalid rule is reported on saving. */
  const findCovered = async (): Promise<readonly CoveredCall[]> => {
    if (added.length === 0) return [];
    const found = await client.policyMatches(worldId, { rule: added.join('\n') }).catch((error: unknown) => {
      if (error instanceof ClientError && error.status === 422) return { waiting: [] };
      throw error;
    });
    return found.waiting;
  };
  const save = async (): Promise<void> => {
    const key = ['policy', worldId, revision];
    let isShown = true;
    const isFound = await saving.load(async () => {
      const found = await findCovered();
      const next = { key: JSON.stringify([added, found]), calls: found };
      isShown = found.length === 0 || covered?.key === next.key;
      setCovered(isShown ? undefined : next);
    });
    if (!isFound || !isShown) return;
    await saving.run(async () => {
      const ifMatch = draft?.etag ?? etag;
      const saved = await client.setPolicy(worldId, { rules: lines }, { ifMatch });
      queries.setQueryData(key, saved);
      // Text typed while saving is a change to the saved version. With the old ETag, it could never be saved.
      setDraft((now) => (now === undefined || now.text === text ? undefined : { ...now, etag: saved.etag ?? '' }));
    }, policyWords.savedRules);
    await queries.invalidateQueries({ queryKey: ['policy', worldId] });
  };
  return (
    <Page title={policyWords.title} wide lead={policyWords.lead}>
      <div className="grid gap-6 lg:grid-cols-2">
        <div>
          <Guarded needs="admin" worldId={worldId}>
            <TextArea
              label={policyWords.rules}
              mono
              rows={Math.min(28, Math.max(12, lines.length + 3))}
              value={text}
              error={saving.errorOf('rules')}
              hint={policyWords.rulesHint(count)}
              onChange={(event) => {
                setCovered(undefined);
                setDraft({ text: event.target.value, etag: draft?.etag ?? etag });
              }}
            />
            <Warnings of={warnings} />
            {isStale && isChanged ? (
              <p role="alert" className="mt-2 text-sm text-amber">
                {policyWords.stale}
              </p>
            ) : null}
            <Proposed
              rules={policy.data.value.proposed}
              onTake={(rule) =>
                setDraft({
                  text: `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${rule}`,
                  etag: draft?.etag ?? etag,
                })
              }
            />
            {covered === undefined ? null : (
              <div role="alert" className="mt-3">
                <CoveredCalls calls={covered.calls} />
              </div>
            )}
            <div className="mt-3 flex gap-2">
              <Button look="primary" disabled={!isChanged || saving.busy} onClick={() => void save()}>
                {covered === undefined ? policyWords.saveRules : policyWords.saveAndRun}
              </Button>
              <Button disabled={!isChanged} onClick={() => setDraft(undefined)}>
                {policyWords.discard}
              </Button>
            </div>
          </Guarded>
        </div>
        <Card className="p-4">
          <PolicyTester worldId={worldId} rules={isChanged ? lines : undefined} />
        </Card>
      </div>
    </Page>
  );
}

function Warnings({ of }: { of: readonly RuleWarning[] }): ReactElement | null {
  if (of.length === 0) return null;
  return (
    <ul role="status" aria-label={policyWords.warnings} className="mt-2 space-y-1 text-sm text-amber">
      {of.map((warning) => (
        <li key={warning.line} className="[overflow-wrap:anywhere]">
          <Visible text={ruleWarningText(warning)} strict />
        </li>
      ))}
    </ul>
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
    <div className="mt-4">
      <h2 className="mb-1 text-sm font-semibold">{policyWords.proposed}</h2>
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
    </div>
  );
}
