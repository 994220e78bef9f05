import { readArguments, ruleMissText } from '@countersign/client';
import { describeReason, type PolicyVerdict, type RuleMiss } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { EffectView } from '../calls/effect-view.js';
import { useClient, useWorld } from '../data/connection.js';
import { errorText } from '../data/error-text.js';
import { Form } from '../form/form.js';
import { useTools } from '../data/use-lists.js';
import { NotRead } from '../shell/frame.js';
import { Badge } from '../ui/badge.js';
import type { Tone } from '../ui/tone.js';
import { Button } from '../ui/button.js';
import { Checkbox, Select, TextArea } from '../form/field.js';
import type { IconName } from '../ui/icon-paths.js';
import { Visible } from '../text/visible.js';
import { exampleArguments } from './example-arguments.js';
import { externalTools } from '../settings/external-tools.js';
import { policyWords } from '../words/policy.js';

const OUTCOMES: Readonly<Record<PolicyVerdict['outcome'], { words: string; tone: Tone; icon: IconName }>> = {
  run: { words: policyWords.wouldRun, tone: 'green', icon: 'check' },
  ask: { words: policyWords.wouldAsk, tone: 'amber', icon: 'hourglass' },
  refuse: { words: policyWords.wouldRefuse, tone: 'red', icon: 'ban' },
};

/** Tests a call against the real gate, with the rules in the editor. */
export function PolicyTester({
  worldId,
  rules,
}: {
  worldId: string;
  rules: readonly string[] | undefined;
}): ReactElement {
  const client = useClient();
  const agents = useWorld((state) => state.agents);
  const tools = useTools(worldId);
  const known = tools.kind === 'ready' ? tools.data : [];
  const [tool, setTool] = useState('shell_cmd');
  const [agentId, setAgentId] = useState('');
  const [text, setText] = useState('git status');
  const [verdict, setVerdict] = useState<PolicyVerdict>();
  const [error, setError] = useState<string>();
  const [rehearse, setRehearse] = useState(false);
  const isShell = tool === 'shell_cmd';
  const check = async (): Promise<void> => {
    setVerdict(undefined);
    const read = isShell ? { arguments: { command: text } } : readArguments(text);
    if ('error' in read) {
      setError(read.error);
      return;
    }
    setError(undefined);
    try {
      setVerdict(
        await client.checkPolicy(worldId, {
          tool,
          ...read,
          ...(agentId === '' ? {} : { agentId }),
          ...(rules === undefined ? {} : { rules: [...rules] }),
          ...(isShell && rehearse ? { rehearse } : {}),
        }),
      );
    } catch (cause) {
      setError(errorText(cause));
    }
  };
  const external = externalTools(agents);
  const names = [
    ...(tools.kind === 'ready' ? known.map(({ name }) => name) : ['shell_cmd']),
    ...external.map(({ name }) => name),
  ];
  const shown = verdict === undefined ? undefined : OUTCOMES[verdict.outcome];
  return (
    <Form className="space-y-3" onSubmit={check}>
      <h2 className="font-semibold">{policyWords.testerTitle}</h2>
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label={policyWords.tool}
          value={tool}
          options={[...new Set([tool, ...names])].map((name) => ({ value: name, label: name }))}
          onChange={(event) => {
            const name = event.target.value;
            setTool(name);
            setVerdict(undefined);
            const example = external.find((each) => each.name === name)?.example;
            if (example !== undefined) setText(JSON.stringify(example, null, 2));
            else if (name === 'shell_cmd') setText('git status');
            else setText(exampleArguments(known.find((each) => each.name === name)));
          }}
        />
        {tools.kind === 'failed' ? <NotRead read={tools} what={policyWords.theTools} /> : null}
        <Select
          label={policyWords.agent}
          value={agentId}
          options={[
            { value: '', label: policyWords.anyAgent },
            ...agents.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(event) => setAgentId(event.target.value)}
        />
      </div>
      <TextArea
        label={isShell ? policyWords.command : policyWords.arguments}
        mono
        rows={isShell ? 2 : 5}
        value={text}
        error={error}
        onChange={(event) => {
          setText(event.target.value);
          setVerdict(undefined);
        }}
      />
      {isShell ? (
        <Checkbox
          label={policyWords.rehearse}
          hint={policyWords.rehearseHint}
          checked={rehearse}
          onChange={(event) => {
            setRehearse(event.target.checked);
            setVerdict(undefined);
          }}
        />
      ) : null}
      <Button type="submit">{policyWords.test}</Button>
      {rules === undefined ? null : <p className="text-[0.8125rem] text-ink-3">{policyWords.testedWithEdits}</p>}
      <div aria-live="polite">
        {verdict === undefined || shown === undefined ? null : (
          <div className="space-y-1.5 rounded-md border border-line bg-sunken px-3 py-2 text-sm">
            <Badge tone={shown.tone} icon={shown.icon}>
              {shown.words}
            </Badge>
            <p className="[overflow-wrap:anywhere]">
              <Visible text={describeReason(verdict.reason)} />
            </p>
            {verdict.rule === undefined ? null : (
              <p className="text-ink-2">
                {policyWords.rule}{' '}
                <code className="[overflow-wrap:anywhere]">
                  <Visible text={verdict.rule} strict />
                </code>
              </p>
            )}
            <EffectView approval={verdict} foot={policyWords.rehearsed} />
            <NotApplied misses={verdict.notApplied ?? []} />
          </div>
        )}
      </div>
    </Form>
  );
}

/** Rules for the same tool that did not apply, and why. */
function NotApplied({ misses }: { misses: readonly RuleMiss[] }): ReactElement | null {
  if (misses.length === 0) return null;
  return (
    <div className="text-ink-2">
      <p>{policyWords.didNotApply}</p>
      <ul className="list-disc space-y-1 pl-5">
        {misses.map((miss) => (
          <li key={miss.rule} className="[overflow-wrap:anywhere]">
            <code>
              <Visible text={miss.rule} strict />
            </code>
            : <Visible text={ruleMissText(miss)} />
          </li>
        ))}
      </ul>
    </div>
  );
}
