import type { Change, Tagged } from '@countersign/client';
import { ACP_PROVIDER, acpProgram, type Agent, type NewAgent, policyLines } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useMay } from '../data/me.js';
import { useProviders, useTools } from '../data/use-lists.js';
import { useRead } from '../data/use-read.js';
import { ModelField, UnknownModel } from '../providers/model-field.js';
import { firstProvider, providerLabel } from '../providers/provider-choice.js';
import { useModels } from '../providers/use-models.js';
import { useUnlisted } from '../providers/use-unlisted.js';
import { Loaded, NotRead } from '../shell/frame.js';
import { Checkbox, Select, TextArea, TextField } from '../form/field.js';
import { AcpFields, acpTexts, readAcp } from './acp-fields.js';
import { ModelSettingsFields, readSettings, textsOf, withoutNulls } from './model-settings.js';
import { defaultTools } from './read-only-tools.js';
import { say } from '../notices/toast.js';
import { ToolChoice } from './tool-choice.js';
import { Form } from '../form/form.js';
import { useFields } from '../form/use-fields.js';
import { useSaving } from '../form/use-saving.js';
import { acpWords } from '../words/acp.js';
import { providerWords } from '../words/providers.js';
import { settingsWords } from '../words/settings.js';

export function AgentForm({
  worldId,
  agent,
  onDone,
}: {
  worldId: string;
  agent: Agent | undefined;
  onDone: () => void;
}): ReactElement {
  return agent === undefined ? (
    <AgentFields worldId={worldId} kept={undefined} onDone={onDone} />
  ) : (
    <Kept worldId={worldId} agentId={agent.id} onDone={onDone} />
  );
}

/** Edits the agent as it was read, with its ETag: otherwise, saving would overwrite changes that nobody has seen (HTTP15). */
function Kept({ worldId, agentId, onDone }: { worldId: string; agentId: string; onDone: () => void }): ReactElement {
  const client = useClient();
  const kept = useRead({
    key: ['agent', worldId, agentId],
    read: (signal) => client.agent(worldId, agentId, { signal }),
    once: true,
    forget: true,
  });
  return (
    <Loaded read={kept} what={settingsWords.theAgent}>
      {(data) => <AgentFields worldId={worldId} kept={data} onDone={onDone} />}
    </Loaded>
  );
}

function AgentFields({
  worldId,
  kept,
  onDone,
}: {
  worldId: string;
  kept: Tagged<Agent> | undefined;
  onDone: () => void;
}): ReactElement {
  const agent = kept?.value;
  const client = useClient();
  const saving = useSaving();
  const providers = useProviders();
  const tools = useTools(worldId);
  const { values, text, checkbox } = useFields(saving, () => ({
    name: agent?.name ?? '',
    systemPrompt: agent?.systemPrompt ?? '',
    policy: (agent?.policy ?? []).join('\n'),
    active: agent?.active ?? true,
  }));
  const settings = useFields(saving, () => textsOf(agent));
  const acp = useFields(saving, () => acpTexts(agent?.acp));
  const [provider, setProvider] = useState(agent?.provider ?? '');
  const [model, setModel] = useState(agent?.model ?? '');
  const [chosen, setChosen] = useState<readonly string[] | undefined>(agent?.tools);
  // A program runs as the server's user, so the world's admins can't add one (EXT3.11).
  const mayRunPrograms = useMay('admin');
  const known = providers.kind === 'ready' ? providers.data.items : [];
  const used = provider === '' ? firstProvider(known) : provider;
  const isProgram = used === ACP_PROVIDER;
  const choices = [...known.map(({ id }) => id), ...(mayRunPrograms ? [ACP_PROVIDER] : [])];
  const status = known.find(({ id }) => id === used);
  const models = useModels(status);
  const unlisted = useUnlisted(status, models, model, agent?.model);
  const listed = tools.kind === 'ready' ? tools.data : [];
  const mayCall = chosen ?? defaultTools(listed);

  const save = async (how: 'checked' | 'anyway'): Promise<void> => {
    const read = readSettings(settings.values);
    if (!read.ok) return saving.refuse(read.field, read.words);
    if (!isProgram && how === 'checked' && unlisted.stops()) return;
    const started = isProgram ? readAcp(acp.values) : undefined;
    if (started?.ok === false) return saving.refuse('acp.command', started.words);
    const definition: NewAgent = {
      name: values.name.trim(),
      provider: used,
      systemPrompt: values.systemPrompt,
      ...(started === undefined
        ? { model: model.trim(), tools: [...mayCall] }
        : // Its model and its tools are the program's own.
          { model: acpProgram(started.acp), tools: [], acp: started.acp }),
      policy: policyLines(values.policy),
      active: values.active,
      ...withoutNulls(read.change),
    };
    const etag = kept?.etag;
    const { name: wanted, ...rest } = definition;
    const change: Change<NewAgent> = {
      ...rest,
      // A name that became reserved later would be rejected even if nobody changed it.
      ...(wanted === agent?.name ? {} : { name: wanted }),
      ...(started === undefined && agent?.acp !== undefined ? { acp: null } : {}),
      ...read.change,
    };
    const saved = await saving.run(
      async () => {
        const { unknownModel } =
          agent === undefined
            ? await client.createAgent(worldId, definition)
            : await client.updateAgent(worldId, agent.id, change, etag === undefined ? {} : { ifMatch: etag });
        // Here the list was not loaded yet when it was saved. Otherwise the warning was shown first.
        if (how === 'checked' && unknownModel !== undefined && definition.model !== agent?.model)
          say(providerWords.savedUnlisted(used, definition.model, unknownModel.closest));
      },
      agent === undefined ? settingsWords.agentAdded(definition.name) : settingsWords.saved,
    );
    if (saved) onDone();
  };
  return (
    <Form
      saving={saving}
      submit={agent === undefined ? settingsWords.addAgent : settingsWords.save}
      onCancel={onDone}
      disabled={values.name.trim() === '' || (isProgram ? acp.values.command : model).trim() === ''}
      onSubmit={() => save('checked')}
    >
      <TextField label={settingsWords.name} required hint={settingsWords.agentNameHint} {...text('name')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Select
          label={settingsWords.provider}
          value={used}
          error={saving.errorOf('provider')}
          options={[...new Set([used, ...choices])]
            .filter((each) => each !== '')
            .map((each) => ({
              value: each,
              label: each === ACP_PROVIDER ? acpWords.provider : providerLabel(each, known),
            }))}
          onChange={(event) => {
            setProvider(event.target.value);
            // A different provider has different models.
            setModel(event.target.value === agent?.provider ? agent.model : '');
          }}
        />
        {isProgram ? null : (
          <ModelField models={models} value={model} error={saving.errorOf('model')} onChange={setModel} />
        )}
      </div>
      {isProgram ? <AcpFields fields={acp} /> : null}
      {isProgram || unlisted.warning === undefined ? null : (
        <UnknownModel
          warning={unlisted.warning}
          onUse={setModel}
          onAnyway={saving.busy ? undefined : () => void save('anyway')}
        />
      )}
      {providers.kind === 'failed' ? <NotRead read={providers} what={settingsWords.theProviders} /> : null}
      <TextArea label={settingsWords.systemPrompt} rows={6} {...text('systemPrompt')} />
      {isProgram ? null : (
        <>
          <fieldset className="space-y-2">
            <legend className="mb-1 text-sm font-medium">{settingsWords.agentTools}</legend>
            {tools.kind === 'failed' ? <NotRead read={tools} what={settingsWords.theTools} /> : null}
            <ToolChoice tools={listed} chosen={mayCall} onChange={setChosen} />
          </fieldset>
          <ModelSettingsFields fields={settings} saving={saving} />
        </>
      )}
      <details className="text-sm">
        <summary className="font-medium">{settingsWords.more}</summary>
        <div className="mt-3 space-y-4">
          <TextArea
            label={settingsWords.agentRules}
            mono
            rows={3}
            hint={settingsWords.agentRulesHint}
            {...text('policy')}
          />
          <Checkbox label={settingsWords.active} {...checkbox('active')} />
        </div>
      </details>
    </Form>
  );
}
