import type { Tagged } from '@countersign/client';
import type { World } from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { useClient, useWorld } from '../data/connection.js';
import { useMay } from '../data/me.js';
import { useRead } from '../data/use-read.js';
import { NotRead, Page } from '../shell/frame.js';
import { Guarded } from '../shell/guarded.js';
import { paths } from '../shell/paths.js';
import ImportWorld from '../shell/import-world.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Dialog } from '../ui/dialog.js';
import { Checkbox, Select, TextArea, TextField } from '../form/field.js';
import { attempt } from '../notices/toast.js';
import { download } from '../ui/download.js';
import { readNumber } from '../form/read-number.js';
import { useSaving } from '../form/use-saving.js';
import { settingsWords } from '../words/settings.js';

export default function WorldPage(): ReactElement {
  const client = useClient();
  const worldId = useWorld((state) => state.worldId);
  const revision = useWorld((state) => state.revisions.world ?? 0);
  const world = useRead({
    key: ['world', worldId],
    revision,
    read: (signal) => client.world(worldId, { signal }),
    once: true,
  });
  const [, navigate] = useLocation();
  // Edited settings are kept until the person saves or discards them.
  const [draft, setDraft] = useState<Tagged<World>>();
  if (world.kind !== 'ready')
    return <NotRead read={world} what={settingsWords.theSettings} title={settingsWords.settings} />;
  const shown = draft ?? world.data;
  return (
    <Page title={settingsWords.settings}>
      {draft !== undefined && draft.etag !== world.data.etag ? (
        <div role="alert" className="mb-4 flex flex-wrap items-center gap-3 text-sm text-amber">
          {settingsWords.stale}
          <Button size="small" onClick={() => setDraft(undefined)}>
            {settingsWords.discard}
          </Button>
        </div>
      ) : null}
      <Guarded needs="admin" worldId={worldId}>
        {/* A form without changes is reset to the current settings. */}
        <WorldForm
          key={shown.etag ?? revision}
          world={shown.value}
          etag={shown.etag}
          onChange={() => setDraft(shown)}
          onSaved={() => setDraft(undefined)}
        />
        <Card className="mt-6 flex flex-wrap items-center gap-3 px-4 py-3 text-sm">
          <p className="min-w-0 flex-1 basis-60 text-ink-2">{settingsWords.realModelLead}</p>
          <Button onClick={() => navigate(paths.page(worldId, 'start'))}>{settingsWords.realModel}</Button>
        </Card>
      </Guarded>
      <ExportOrDelete worldId={worldId} name={world.data.value.name} />
    </Page>
  );
}

const MODES = [
  { value: 'ask', label: settingsWords.modes.ask },
  { value: 'read', label: settingsWords.modes.read },
  { value: 'auto', label: settingsWords.modes.auto },
] as const;

function WorldForm({
  world,
  etag,
  onChange,
  onSaved,
}: {
  world: World;
  etag: string | undefined;
  onChange: () => void;
  onSaved: () => void;
}): ReactElement {
  const client = useClient();
  const saving = useSaving();
  const agents = useWorld((state) => state.agents);
  const mayGiveRoots = useMay('admin');
  const [form, setForm] = useState({
    name: world.name,
    description: world.description ?? '',
    workingDirectory: world.workingDirectory ?? '',
    roots: (world.roots ?? []).join('\n'),
    mode: world.mode,
    mainAgent: world.mainAgent ?? '',
    turnLimit: String(world.turnLimit),
    maxIterations: String(world.maxIterations),
    maxParallelTools: String(world.maxParallelTools),
    timeout: world.approvalTimeoutMs === undefined ? '' : String(world.approvalTimeoutMs / 1000),
    unattended: world.unattended,
    rehearse: world.rehearse,
    streaming: world.streaming,
  });
  const set = (change: Partial<typeof form>): void => {
    setForm({ ...form, ...change });
    onChange();
  };
  const save = async (): Promise<void> => {
    const limits = {
      turnLimit: readNumber(form.turnLimit, 'whole'),
      maxIterations: readNumber(form.maxIterations, 'whole'),
      maxParallelTools: readNumber(form.maxParallelTools, 'whole'),
    };
    for (const [field, value] of Object.entries(limits))
      if (typeof value !== 'number') return saving.refuse(field, settingsWords.notWhole);
    const seconds = readNumber(form.timeout);
    if (seconds === 'not-a-number') return saving.refuse('approvalTimeoutMs', settingsWords.notSeconds);
    const roots = form.roots.split('\n').flatMap((line) => line.trim() || []);
    // `null` removes a setting; omitted ones stay unchanged.
    const change: Record<string, unknown> = {
      name: form.name.trim(),
      description: form.description.trim() === '' ? null : form.description.trim(),
      workingDirectory: form.workingDirectory.trim() === '' ? null : form.workingDirectory.trim(),
      roots: roots.length === 0 ? null : roots,
      mode: form.mode,
      mainAgent: form.mainAgent === '' ? null : form.mainAgent,
      ...limits,
      approvalTimeoutMs: seconds === 'empty' ? null : Math.round(seconds * 1000),
      unattended: form.unattended,
      rehearse: form.rehearse,
      streaming: form.streaming,
    };
    const before: Readonly<Record<string, unknown>> = { ...world };
    const changed = Object.entries(change).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name] ?? null),
    );
    const isSaved = await saving.run(
      () => client.updateWorld(world.id, Object.fromEntries(changed), etag === undefined ? {} : { ifMatch: etag }),
      settingsWords.saved,
    );
    if (isSaved) onSaved();
  };
  return (
    <form
      ref={saving.form}
      className="space-y-5"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <TextField
        label={settingsWords.name}
        value={form.name}
        error={saving.errorOf('name')}
        onChange={(event) => set({ name: event.target.value })}
      />
      <TextArea
        label={settingsWords.description}
        rows={2}
        value={form.description}
        error={saving.errorOf('description')}
        onChange={(event) => set({ description: event.target.value })}
      />
      <TextField
        label={settingsWords.workingFolder}
        mono
        value={form.workingDirectory}
        placeholder={world.folder}
        error={saving.errorOf('workingDirectory')}
        hint={settingsWords.folderHint}
        onChange={(event) => set({ workingDirectory: event.target.value })}
      />
      {mayGiveRoots ? (
        <TextArea
          label={settingsWords.roots}
          rows={2}
          mono
          value={form.roots}
          error={saving.errorOf('roots')}
          hint={settingsWords.rootsHint}
          onChange={(event) => set({ roots: event.target.value })}
        />
      ) : null}
      <div className="grid gap-5 sm:grid-cols-2">
        <Select
          label={settingsWords.mode}
          value={form.mode}
          options={MODES}
          hint={settingsWords.modeHints[form.mode]}
          onChange={(event) => set({ mode: readMode(event.target.value) })}
        />
        <Select
          label={settingsWords.mainAgent}
          value={form.mainAgent}
          hint={settingsWords.mainAgentHint}
          options={[
            { value: '', label: settingsWords.noMainAgent },
            ...agents.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(event) => set({ mainAgent: event.target.value })}
        />
        <TextField
          label={settingsWords.turnLimit}
          inputMode="numeric"
          value={form.turnLimit}
          error={saving.errorOf('turnLimit')}
          hint={settingsWords.turnLimitHint}
          onChange={(event) => set({ turnLimit: event.target.value })}
        />
        <TextField
          label={settingsWords.maxIterations}
          inputMode="numeric"
          value={form.maxIterations}
          error={saving.errorOf('maxIterations')}
          onChange={(event) => set({ maxIterations: event.target.value })}
        />
        <TextField
          label={settingsWords.maxParallelTools}
          inputMode="numeric"
          value={form.maxParallelTools}
          error={saving.errorOf('maxParallelTools')}
          hint={settingsWords.maxParallelToolsHint}
          onChange={(event) => set({ maxParallelTools: event.target.value })}
        />
        <TextField
          label={settingsWords.timeout}
          inputMode="decimal"
          value={form.timeout}
          error={saving.errorOf('approvalTimeoutMs')}
          hint={settingsWords.timeoutHint}
          onChange={(event) => set({ timeout: event.target.value })}
        />
        <Select
          label={settingsWords.unattended}
          value={form.unattended}
          options={[
            { value: 'wait', label: settingsWords.unattendedWait },
            { value: 'deny', label: settingsWords.unattendedDeny },
          ]}
          onChange={(event) => set({ unattended: event.target.value === 'deny' ? 'deny' : 'wait' })}
        />
        <Select
          label={settingsWords.rehearse}
          value={form.rehearse}
          options={[
            { value: 'on', label: settingsWords.rehearseOn },
            { value: 'off', label: settingsWords.rehearseOff },
          ]}
          onChange={(event) => set({ rehearse: event.target.value === 'off' ? 'off' : 'on' })}
        />
        <div className="pt-6">
          <Checkbox
            label={settingsWords.streaming}
            checked={form.streaming}
            onChange={(event) => set({ streaming: event.target.checked })}
          />
        </div>
      </div>
      <Button look="primary" type="submit" disabled={saving.busy}>
        {settingsWords.save}
      </Button>
    </form>
  );
}

function readMode(value: string): World['mode'] {
  return value === 'read' || value === 'auto' ? value : 'ask';
}

function ExportOrDelete({ worldId, name }: { worldId: string; name: string }): ReactElement {
  const client = useClient();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState<'nothing' | 'delete' | 'import'>('nothing');
  const [typed, setTyped] = useState('');
  const mayImport = useMay('admin');
  const mayDelete = useMay('admin', worldId);
  const remove = async (): Promise<void> => {
    if (!(await attempt(`delete-${worldId}`, client.deleteWorld(worldId)))) return;
    await queries.invalidateQueries({ queryKey: ['worlds'] });
    navigate('/', { replace: true });
  };
  return (
    <Card className="mt-10 space-y-3 p-4">
      <h2 className="font-semibold">{settingsWords.exportTitle}</h2>
      <p className="text-sm text-ink-2">{settingsWords.exportLead}</p>
      <div className="flex flex-wrap gap-2">
        <Button
          icon="download"
          onClick={() =>
            void attempt(
              `export-${worldId}`,
              client
                .exportWorld(worldId)
                .then((yaml) => download(`${worldId}.yaml`, new Blob([yaml], { type: 'application/yaml' }))),
            )
          }
        >
          {settingsWords.export}
        </Button>
        <Button icon="file" disabled={!mayImport} onClick={() => setAsking('import')}>
          {settingsWords.importWorld}
        </Button>
        <Button look="danger" icon="trash" disabled={!mayDelete} onClick={() => setAsking('delete')}>
          {settingsWords.deleteWorld}
        </Button>
      </div>
      {asking === 'import' ? <ImportWorld onClose={() => setAsking('nothing')} /> : null}
      {asking === 'delete' ? (
        <Dialog title={settingsWords.deleteTitle} onClose={() => setAsking('nothing')}>
          <p className="text-sm">{settingsWords.deleteText(name)}</p>
          <div className="mt-3">
            <TextField
              label={settingsWords.worldName}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </div>
          <div className="mt-4 flex justify-end gap-2">
            <Button onClick={() => setAsking('nothing')}>{settingsWords.cancel}</Button>
            <Button look="danger" icon="trash" disabled={typed !== name} onClick={() => void remove()}>
              {settingsWords.delete}
            </Button>
          </div>
        </Dialog>
      ) : null}
    </Card>
  );
}
