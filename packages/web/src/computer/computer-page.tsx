import type { LocalAgent } from '@countersign/protocol';
import { type ReactElement, useId, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useMay } from '../data/me.js';
import { useRead } from '../data/use-read.js';
import { Checkbox, TextField } from '../form/field.js';
import { Form } from '../form/form.js';
import { useSaving } from '../form/use-saving.js';
import { NotRead, Page } from '../shell/frame.js';
import { Guarded } from '../shell/guarded.js';
import { CopyButton } from '../text/copy-button.js';
import { Visible } from '../text/visible.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Dialog } from '../ui/dialog.js';
import type { IconName } from '../ui/icon-paths.js';
import type { Tone } from '../ui/tone.js';
import { computerWords as words } from '../words/computer.js';
import { gateAgent } from './gate-agent.js';

const LOOKS: Readonly<Record<LocalAgent['state'], { tone: Tone; icon?: IconName }>> = {
  absent: { tone: 'neutral' },
  open: { tone: 'neutral' },
  gated: { tone: 'green', icon: 'check' },
  changed: { tone: 'red', icon: 'alert' },
  'run-only': { tone: 'neutral' },
};

/** Coding agents of the user that runs the server, and their gates (GATE7.6). */
export default function ComputerPage(): ReactElement {
  const client = useClient();
  const agents = useRead({
    key: ['local-agents'],
    read: async (signal) => (await client.localAgents({ signal })).items,
  });
  const maySign = useMay('sign');
  const [gating, setGating] = useState<LocalAgent>();
  if (agents.kind !== 'ready') return <NotRead read={agents} what={words.theAgents} title={words.title} />;
  return (
    <Page title={words.title} lead={words.lead}>
      <Guarded needs={maySign ? 'admin' : 'sign'}>
        <ul className="space-y-2">
          {agents.data.map((agent) => (
            <li key={agent.id}>
              <AgentCard agent={agent} onGate={() => setGating(agent)} />
            </li>
          ))}
        </ul>
      </Guarded>
      {gating === undefined ? null : (
        <GateDialog agent={gating} onDone={() => void agents.reread()} onClose={() => setGating(undefined)} />
      )}
    </Page>
  );
}

function AgentCard({ agent, onGate }: { agent: LocalAgent; onGate: () => void }): ReactElement {
  const nameId = useId();
  const { name, version, state, problem, changes = [], folders, elsewhere } = agent;
  const isGateable = state === 'open' || state === 'gated' || state === 'changed';
  return (
    <Card className="space-y-2 px-4 py-3 text-sm [overflow-wrap:anywhere]">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <span id={nameId} className="font-semibold">
            {name}
          </span>
          {version === undefined ? null : (
            <span className="text-ink-3">
              <Visible text={version} strict />
            </span>
          )}
          <Badge {...LOOKS[state]}>{words.states[state]}</Badge>
        </span>
        {isGateable ? (
          <Button size="small" className="ml-auto" aria-describedby={nameId} onClick={onGate}>
            {state === 'gated' ? words.addFolder : words.gate}
          </Button>
        ) : null}
      </div>
      {problem === undefined ? null : (
        <p className="text-red">
          <Visible text={problem} />
        </p>
      )}
      {changes.length === 0 ? null : <List title={words.wouldChange} lines={changes.map(words.changes)} />}
      {state === 'open' || folders.length === 0 ? null : (
        <List
          title={words.goTo}
          lines={[
            ...folders.map(({ folder, world }) => words.inFolder(folder, world)),
            elsewhere === undefined ? words.refusedElsewhere : words.elsewhere(elsewhere),
          ]}
        />
      )}
      {state === 'absent' ? null : (
        <p className="flex flex-wrap items-center gap-2 text-ink-2">
          {words.orRun}
          <code className="font-mono text-[0.8125rem] text-ink">{words.run(agent.id)}</code>
          <CopyButton text={words.run(agent.id)} />
        </p>
      )}
    </Card>
  );
}

function List({ title, lines }: { title: string; lines: readonly string[] }): ReactElement {
  return (
    <div className="text-ink-2">
      <p>{title}</p>
      <ul className="list-disc pl-5">
        {lines.map((line) => (
          <li key={line}>
            <Visible text={line} strict />
          </li>
        ))}
      </ul>
    </div>
  );
}

function GateDialog({
  agent,
  onDone,
  onClose,
}: {
  agent: LocalAgent;
  onDone: () => void;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const saving = useSaving();
  const [folder, setFolder] = useState('');
  const [anyFolder, setAnyFolder] = useState(false);
  const [reading, setReading] = useState(false);
  const isGated = agent.state === 'gated';
  const submit = async (): Promise<void> => {
    const path = folder.trim().replace(/(?<=.)\/+$/, '');
    if (!path.startsWith('/')) return saving.refuse('workingDirectory', words.noFolder);
    const work = async (): Promise<void> => await gateAgent(client, agent, { folder: path, anyFolder, reading });
    if (!(await saving.run(work, isGated ? words.added : words.gated(agent.name)))) return;
    onDone();
    onClose();
  };
  return (
    <Dialog title={isGated ? words.addFolderTitle(agent.name) : words.gateTitle(agent.name)} onClose={onClose}>
      <Form
        saving={saving}
        submit={isGated ? words.addFolderTitle(agent.name) : words.gateTitle(agent.name)}
        onCancel={onClose}
        onSubmit={() => void submit()}
      >
        {agent.changes === undefined ? null : (
          <div className="text-sm [overflow-wrap:anywhere]">
            <List title={words.wouldChange} lines={agent.changes.map(words.changes)} />
          </div>
        )}
        <TextField
          label={words.folder}
          hint={words.folderHint}
          mono
          value={folder}
          error={saving.errorOf('workingDirectory')}
          onChange={({ target }) => setFolder(target.value)}
        />
        <Checkbox
          label={words.reading}
          hint={words.readingHint}
          checked={reading}
          onChange={({ target }) => setReading(target.checked)}
        />
        {isGated ? null : (
          <Checkbox
            label={words.anyFolder}
            checked={anyFolder}
            onChange={({ target }) => setAnyFolder(target.checked)}
          />
        )}
      </Form>
    </Dialog>
  );
}
