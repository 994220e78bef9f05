import { nameOf, ruleWarningText } from '@countersign/client';
import { isRule, type RuleUse, type RuleWarning } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { Button } from '../ui/button.js';
import { Badge } from '../ui/badge.js';
import { Empty } from '../ui/card.js';
import type { Tone } from '../ui/tone.js';
import { Ago } from '../text/time.js';
import { Visible } from '../text/visible.js';
import { policyWords } from '../words/policy.js';
import { ReplayView } from './replay-view.js';
import { useReplay } from './use-replay.js';
import { useSaveRules } from './use-save-rules.js';

interface RuleRowsProps {
  worldId: string;
  policy: { rules: readonly string[]; warnings?: readonly RuleWarning[]; etag: string };
  /** Undefined while it is unknown. */
  uses: ReadonlyMap<string, RuleUse> | undefined;
}

/** One row per rule, and its comments as they are in the text. */
export function RuleRows({ worldId, policy, uses }: RuleRowsProps): ReactElement {
  const { rules, warnings = [], etag } = policy;
  const [leaving, setLeaving] = useState<string>();
  if (!rules.some(isRule)) return <Empty title={policyWords.noRules}>{policyWords.noRulesHint}</Empty>;
  return (
    <ul aria-label={policyWords.rules} className="divide-y divide-line rounded-lg border border-line bg-surface">
      {rules.map((rule, index) =>
        isRule(rule) ? (
          <li key={rule} className="px-4 py-2.5 text-sm">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <Row rule={rule} warning={warnings.find(({ line }) => line === index + 1)} use={uses?.get(rule)} />
              {leaving === rule ? null : (
                <Button
                  size="small"
                  aria-label={policyWords.removeRuleNamed(rule)}
                  disabled={leaving !== undefined}
                  onClick={() => setLeaving(rule)}
                >
                  {policyWords.remove}
                </Button>
              )}
            </div>
            {leaving === rule ? (
              <RemoveRule
                {...{ worldId, etag, stored: rules }}
                rest={rules.filter((_, at) => at !== index)}
                onDone={() => setLeaving(undefined)}
              />
            ) : null}
          </li>
        ) : rule.trim() === '' ? null : (
          <li key={`${index} ${rule}`} className="bg-sunken px-4 py-1.5 text-[0.8125rem] text-ink-2">
            <Visible text={rule} strict />
          </li>
        ),
      )}
    </ul>
  );
}

const TONES: Readonly<Record<string, Tone>> = { allow: 'green', ask: 'amber', deny: 'red' };

function Row({
  rule,
  warning,
  use,
}: {
  rule: string;
  warning: RuleWarning | undefined;
  use: RuleUse | undefined;
}): ReactElement {
  const [verb = ''] = rule.trim().split(/\s/);
  const hasEnded = warning?.code === 'ended';
  return (
    <div className="min-w-0 flex-1 basis-60">
      <p className="flex flex-wrap items-baseline gap-x-2 [overflow-wrap:anywhere]">
        <Badge tone={hasEnded ? 'neutral' : (TONES[verb] ?? 'neutral')}>{hasEnded ? policyWords.ended : verb}</Badge>
        <code className={hasEnded ? 'text-ink-3 line-through' : ''}>
          <Visible text={rule} strict />
        </code>
      </p>
      {use === undefined ? null : (
        <p className="mt-0.5 text-[0.8125rem] text-ink-3">
          {use.added === undefined ? null : (
            <>
              {policyWords.addedBy} <Visible text={nameOf(use.added.who)} /> <Ago at={use.added.at} /> ·{' '}
            </>
          )}
          {policyWords.decidedCalls(use.used)}
          {use.lastAt === undefined ? null : (
            <>
              {policyWords.lastAt} <Ago at={use.lastAt} />
            </>
          )}
        </p>
      )}
      {warning === undefined ? null : (
        <p role="status" className="mt-0.5 text-[0.8125rem] text-amber [overflow-wrap:anywhere]">
          <Visible text={ruleWarningText(warning)} strict />
        </p>
      )}
    </div>
  );
}

/** Without a deny or ask rule, more calls may run: the replay says which. */
function RemoveRule({
  worldId,
  stored,
  rest,
  etag,
  onDone,
}: {
  worldId: string;
  stored: readonly string[];
  rest: readonly string[];
  etag: string;
  onDone: () => void;
}): ReactElement {
  const replay = useReplay(worldId, rest);
  const { saving, save } = useSaveRules(worldId, stored, etag);
  return (
    <div className="mt-2 space-y-2">
      <ReplayView state={replay} />
      <div className="flex gap-2">
        <Button
          size="small"
          look="danger"
          disabled={saving.busy}
          onClick={() => void save(rest).then((saved) => saved !== undefined && onDone())}
        >
          {policyWords.removeRule}
        </Button>
        <Button size="small" onClick={onDone}>
          {policyWords.keepRule}
        </Button>
      </div>
    </div>
  );
}
