import { addTemplate } from '@countersign/client';
import {
  type AgentTemplateName,
  isRealProvider,
  nameFrom,
  type ProviderStatus,
  type World,
} from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { modeWords } from '../chat/mode-words.js';
import { useClient, useWorld } from '../data/connection.js';
import { useProviders } from '../data/use-lists.js';
import { ModelField, UnknownModel } from '../providers/model-field.js';
import { problemOf, type TestProblem } from '../providers/test-problem.js';
import { useModels } from '../providers/use-models.js';
import { useUnlisted } from '../providers/use-unlisted.js';
import { useTest } from '../providers/use-test.js';
import { Form } from '../form/form.js';
import { useSaving } from '../form/use-saving.js';
import { NotRead, Page } from '../shell/frame.js';
import { Guarded } from '../shell/guarded.js';
import { paths } from '../shell/paths.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Select, TextField } from '../form/field.js';
import { say } from '../notices/toast.js';
import { ProviderStep } from './provider-step.js';
import { TemplateChoice } from './template-choice.js';
import { Tested } from './tested.js';
import { startWords } from '../words/start.js';

/** Guides a person from nothing to an agent with a real model: provider, model, agent. */
export default function StartPage(): ReactElement {
  const providers = useProviders();
  const [chosenId, setChosenId] = useState<string>();
  const [problem, setProblem] = useState<TestProblem>();
  if (providers.kind !== 'ready')
    return <NotRead read={providers} what={startWords.theProviders} title={startWords.title} />;
  const all = providers.data.items;
  const chosen = all.find(({ id }) => id === chosenId) ?? all.find(isRealProvider);
  return (
    <Page title={startWords.title} lead={startWords.lead}>
      {/* Adding and testing a provider needs an admin of the whole server. */}
      <Guarded needs="admin">
        <Step title={startWords.providerStep}>
          <ProviderStep all={all} chosen={chosen} problem={problem} onProblem={setProblem} onChoose={setChosenId} />
        </Step>
        {chosen === undefined ? null : (
          <ModelAndAgent key={chosen.id} provider={chosen} problem={problem} onProblem={setProblem} />
        )}
      </Guarded>
    </Page>
  );
}

function isAtField(problem: TestProblem | undefined, { source }: ProviderStatus): boolean {
  if (problem?.field === undefined) return false;
  return problem.field === 'model' || (source === 'stored' && !problem.mayPass);
}

function Step({ title, children }: { title: string; children: ReactNode }): ReactElement {
  return (
    <Card className="mb-4 px-4 py-4">
      <h2 className="mb-3 font-semibold">{title}</h2>
      {children}
    </Card>
  );
}

function ModelAndAgent({
  provider,
  problem,
  onProblem,
}: {
  provider: ProviderStatus;
  problem: TestProblem | undefined;
  onProblem: (problem: TestProblem | undefined) => void;
}): ReactElement {
  const client = useClient();
  const queries = useQueryClient();
  const saving = useSaving();
  const [, navigate] = useLocation();
  const worldId = useWorld((state) => state.worldId);
  const world = useWorld((state) => state.world);
  const models = useModels(provider);
  const [typed, setTyped] = useState<string>();
  const [template, setTemplate] = useState<AgentTemplateName>('reviewer');
  const [place, setPlace] = useState<'here' | 'folder'>('here');
  const [folder, setFolder] = useState('');
  // A second attempt must not create a second world.
  const created = useRef<World>(undefined);
  const only = models.items.length === 1 ? models.items[0]?.id : undefined;
  const model = (typed ?? only ?? '').trim();

  const unlisted = useUnlisted(provider, models, model);
  const isUnknown = problem?.field === 'model' && problem.mayPass;
  const warning = unlisted.warning ?? (isUnknown ? problem : undefined);
  const testing = useTest(provider.id);
  const isTesting = testing.state === 'running';
  const setModel = (name: string): void => {
    onProblem(undefined);
    setTyped(name);
  };

  const start = async (mode: 'tested' | 'anyway'): Promise<void> => {
    const name = nameFrom(folder, 'project');
    if (place === 'folder' && name === '') return saving.refuse('workingDirectory', startWords.noFolder);
    if (mode === 'tested') {
      if (unlisted.stops()) return;
      const result = await testing.ask(model);
      if (result === undefined) return;
      const found = problemOf(result);
      onProblem(found);
      if (found !== undefined) return;
    }
    let target = worldId;
    const isDone = await saving.load(async () => {
      if (place === 'folder') {
        const workingDirectory = folder.trim();
        if (created.current?.workingDirectory !== workingDirectory)
          created.current = await client.createWorld({ name, workingDirectory });
        target = created.current.id;
      }
      const made = await addTemplate(client, target, template, { provider: provider.id, model, main: 'always' });
      say(startWords.ready(made.map(({ name }) => name)), 'green');
    });
    if (!isDone) return;
    await queries.invalidateQueries({ queryKey: ['worlds'] });
    navigate(paths.world(target));
  };
  return (
    <Form saving={saving} noValidate className="" onSubmit={() => start('tested')}>
      <Step title={startWords.modelStep}>
        <div className="space-y-3">
          <ModelField
            models={models}
            value={typed ?? only ?? ''}
            error={saving.errorOf('model') ?? (problem?.field === 'model' && !isUnknown ? problem.words : undefined)}
            onChange={setModel}
          />
          {warning === undefined ? null : (
            <UnknownModel
              warning={warning}
              onUse={setModel}
              onAnyway={saving.busy ? undefined : () => void start('anyway')}
            />
          )}
        </div>
      </Step>
      <Step title={startWords.agentStep}>
        <div className="space-y-4">
          <TemplateChoice value={template} onChange={setTemplate} />
          <Select
            label={startWords.worksIn}
            value={place}
            options={[
              { value: 'here', label: startWords.thisWorld(world?.name ?? worldId, world?.workingDirectory) },
              { value: 'folder', label: startWords.newWorld },
            ]}
            onChange={(event) => setPlace(event.target.value === 'folder' ? 'folder' : 'here')}
          />
          {place === 'folder' ? (
            <TextField
              label={startWords.folder}
              mono
              value={folder}
              hint={startWords.folderHint}
              error={saving.errorOf('workingDirectory') ?? saving.errorOf('name')}
              onChange={(event) => setFolder(event.target.value)}
            />
          ) : null}
          <Tested
            testing={testing}
            model={model}
            // A problem of the model, or one that a stored provider must fix, is explained at its field.
            problem={isAtField(problem, provider) ? undefined : problem}
            onAnyway={saving.busy ? undefined : () => void start('anyway')}
          />
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="min-w-0 flex-1 basis-60 text-[0.8125rem] text-ink-3">
              {modeWords(place === 'here' ? world?.mode : 'ask')}
            </p>
            <Button
              look="primary"
              type="submit"
              className="ml-auto"
              disabled={saving.busy || isTesting || model === ''}
            >
              {startWords.start}
            </Button>
          </div>
        </div>
      </Step>
    </Form>
  );
}
