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
import { Checkbox, Select, TextArea, TextField } from '../form/field.js';
import { attempt } from '../notices/toast.js';
import { download } from '../ui/download.js';
import { readNumber } from '../form/read-number.js';
import { Confirm } from '../form/confirm.js';
import { Form } from '../form/form.js';
import { useFields } from '../form/use-fields.js';
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
  const { values, text, checkbox } = useFields(
    saving,
    () => ({
      name: world.name,
      description: world.description ?? '',
      workingDirectory: world.workingDirectory ?? '',
      roots: (world.roots ?? []).join('\n'),
      mode: world.mode,
      mainAgent: world.mainAgent ?? '',
      turnLimit: String(world.turnLimit),
      maxIterations: String(world.maxIterations),
      maxParallelTools: String(world.maxParallelTools),
      approvalTimeoutMs: world.approvalTimeoutMs === undefined ? '' : String(world.approvalTimeoutMs / 1000),
      unattended: world.unattended,
      rehearse: world.rehearse,
      streaming: world.streaming,
    }),
    onChange,
  );
  const save = async (): Promise<void> => {
    const limits = {
      turnLimit: readNumber(values.turnLimit, 'whole'),
      maxIterations: readNumber(values.maxIterations, 'whole'),
      maxParallelTools: readNumber(values.maxParallelTools, 'whole'),
    };
    for (const [field, value] of Object.entries(limits))
      if (typeof value !== 'number') return saving.refuse(field, settingsWords.notWhole);
    const seconds = readNumber(values.approvalTimeoutMs);
    if (seconds === 'not-a-number') return saving.refuse('approvalTimeoutMs', settingsWords.notSeconds);
    const roots = values.roots.split('\n').flatMap((line) => line.trim() || []);
    const given = (value: string): string | null => (value.trim() === '' ? null : value.trim());
    // `null` removes a setting; omitted ones stay unchanged.
    const change: Record<string, unknown> = {
      ...values,
      name: values.name.trim(),
      description: given(values.description),
      workingDirectory: given(values.workingDirectory),
      roots: roots.length === 0 ? null : roots,
      mainAgent: given(values.mainAgent),
      ...limits,
      approvalTimeoutMs: seconds === 'empty' ? null : Math.round(seconds * 1000),
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
    <Form saving={saving} className="space-y-5" onSubmit={save}>
      <TextField label={settingsWords.name} {...text('name')} />
      <TextArea label={settingsWords.description} rows={2} {...text('description')} />
      <TextField
        label={settingsWords.workingFolder}
        mono
        placeholder={world.folder}
        hint={settingsWords.folderHint}
        {...text('workingDirectory')}
      />
      {mayGiveRoots ? (
        <TextArea label={settingsWords.roots} rows={2} mono hint={settingsWords.rootsHint} {...text('roots')} />
      ) : null}
      <div className="grid gap-5 sm:grid-cols-2">
        <Select
          label={settingsWords.mode}
          options={MODES}
          hint={settingsWords.modeHints[values.mode]}
          {...text('mode')}
        />
        <Select
          label={settingsWords.mainAgent}
          hint={settingsWords.mainAgentHint}
          options={[
            { value: '', label: settingsWords.noMainAgent },
            ...agents.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          {...text('mainAgent')}
        />
        <TextField
          label={settingsWords.turnLimit}
          inputMode="numeric"
          hint={settingsWords.turnLimitHint}
          {...text('turnLimit')}
        />
        <TextField label={settingsWords.maxIterations} inputMode="numeric" {...text('maxIterations')} />
        <TextField
          label={settingsWords.maxParallelTools}
          inputMode="numeric"
          hint={settingsWords.maxParallelToolsHint}
          {...text('maxParallelTools')}
        />
        <TextField
          label={settingsWords.timeout}
          inputMode="decimal"
          hint={settingsWords.timeoutHint}
          {...text('approvalTimeoutMs')}
        />
        <Select
          label={settingsWords.unattended}
          options={[
            { value: 'wait', label: settingsWords.unattendedWait },
            { value: 'deny', label: settingsWords.unattendedDeny },
          ]}
          {...text('unattended')}
        />
        <Select
          label={settingsWords.rehearse}
          options={[
            { value: 'on', label: settingsWords.rehearseOn },
            { value: 'off', label: settingsWords.rehearseOff },
          ]}
          {...text('rehearse')}
        />
        <div className="pt-6">
          <Checkbox label={settingsWords.streaming} {...checkbox('streaming')} />
        </div>
      </div>
      <Button look="primary" type="submit" disabled={saving.busy}>
        {settingsWords.save}
      </Button>
    </Form>
  );
}

function ExportOrDelete({ worldId, name }: { worldId: string; name: string }): ReactElement {
  const client = useClient();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState<'delete' | 'import'>();
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
      {asking === 'import' ? <ImportWorld onClose={() => setAsking(undefined)} /> : null}
      {asking === 'delete' ? (
        <Confirm
          title={settingsWords.deleteTitle}
          action={settingsWords.delete}
          icon="trash"
          disabled={typed !== name}
          onConfirm={remove}
          onClose={() => setAsking(undefined)}
        >
          <p>{settingsWords.deleteText(name)}</p>
          <TextField label={settingsWords.worldName} value={typed} onChange={(event) => setTyped(event.target.value)} />
        </Confirm>
      ) : null}
    </Card>
  );
}
