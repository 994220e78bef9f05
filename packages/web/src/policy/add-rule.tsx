import { endOfDay, endText } from '@countersign/protocol';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { CoveredCalls } from '../approvals/card/covered-calls.js';
import { useTools } from '../data/use-lists.js';
import { Combobox } from '../form/combobox.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { policyWords } from '../words/policy.js';
import { ReplayView } from './replay-view.js';
import { useReplay } from './use-replay.js';
import { useSaveRules } from './use-save-rules.js';

interface AddRuleProps {
  worldId: string;
  stored: readonly string[];
  etag: string;
  /** Written by a suggestion or an import; empty if the person writes it. */
  rule: string;
  onDone: () => void;
}

/** A new rule, with what it would have changed beside it. */
export function AddRule({ worldId, stored, etag, rule: given, onDone }: AddRuleProps): ReactElement {
  const [rule, setRule] = useState(given);
  const tools = useTools(worldId);
  const names = tools.kind === 'ready' ? tools.data.map(({ name }) => name) : [];
  const { saving, covered, forget, save } = useSaveRules(worldId, stored, etag);
  const text = rule.trim();
  // First, so that an error says "line 1".
  const replay = useReplay(worldId, text === '' ? undefined : [text, ...stored]);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.scrollIntoView({ block: 'nearest' });
    form.current?.querySelector<HTMLElement>(given === '' ? 'input' : 'button[type=submit]')?.focus();
  }, [given]);
  const isInvalid = replay.kind === 'failed' && replay.isInvalid;
  return (
    <Card className="mb-3 p-4">
      <form
        ref={form}
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          void save([...stored, text]).then((saved) => saved !== undefined && onDone());
        }}
      >
        <Combobox
          label={policyWords.newRule}
          hint={policyWords.newRuleHint}
          error={saving.errorOf('rules')}
          value={rule}
          choicesFor={(typed) => completions(typed, names)}
          onChange={(value) => {
            forget();
            setRule(value);
          }}
        />
        <ReplayView state={replay} />
        {covered === undefined ? null : (
          <div role="alert">
            <CoveredCalls calls={covered} />
          </div>
        )}
        <div className="flex gap-2">
          <Button type="submit" look="primary" disabled={text === '' || isInvalid || saving.busy}>
            {covered === undefined ? policyWords.saveRule : policyWords.saveRuleAndRun}
          </Button>
          <Button onClick={onDone}>{policyWords.cancel}</Button>
        </div>
      </form>
    </Card>
  );
}

/** Examples at first, then what can come next. */
function completions(typed: string, tools: readonly string[]): { value: string; note?: string }[] {
  if (typed.trim() === '') return policyWords.ruleExamples.map(([value, note]) => ({ value, note }));
  const [, verb = '', tool] = /^\s*(\w*)(?:\s+([\w*-]*))?$/.exec(typed) ?? [];
  if (tool !== undefined)
    return tools.filter((name) => name.includes(tool) && name !== tool).map((name) => ({ value: `${verb} ${name}` }));
  if (verb !== '')
    return policyWords.verbs.flatMap(([word, note]) => (word.startsWith(verb) ? [{ value: `${word} `, note }] : []));
  if (!/^\s*allow\s+[^(]+(?:\(.*\))?\s*$/.test(typed) || /\buntil\b/.test(typed)) return [];
  const value = `${typed.trim()} until ${endText(endOfDay(Date.now()))}`;
  return [{ value, note: policyWords.untilMidnight }];
}
