import type { ProviderStatus } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { Form } from '../form/form.js';
import { NotRead } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { TextField } from '../form/field.js';
import { Note } from '../notices/note.js';
import { Visible } from '../text/visible.js';
import { matchingModels } from './model-choice.js';
import { factsOf } from './model-facts.js';
import type { Testing } from './use-test.js';
import { providerWords } from '../words/providers.js';

const FIRST = 20;

/** The provider's own models. The field filters the list, and can test any other model. */
export function ModelList({ provider, testing }: { provider: ProviderStatus; testing: Testing }): ReactElement {
  const client = useClient();
  const models = useRead({
    key: ['provider-models', provider.id],
    read: (signal) => client.providerModels(provider.id, { signal }),
  });
  const [typed, setTyped] = useState('');
  const [shown, setShown] = useState(FIRST);
  if (models.kind !== 'ready') return <NotRead read={models} what={providerWords.theModels} />;
  const { items, problem } = models.data;
  const found = matchingModels(items, typed);
  return (
    <div className="space-y-3">
      {/* A failed test already shows the problem above. */}
      {problem === undefined || (typeof testing.state === 'object' && !testing.state.ok) ? null : (
        <Note>
          <Visible text={problem.detail} />
        </Note>
      )}
      <Form
        className="flex flex-wrap items-end gap-2"
        onSubmit={() => {
          if (typed.trim() !== '') testing.run(typed.trim());
        }}
      >
        <div className="min-w-48 flex-1">
          <TextField
            label={providerWords.findModel}
            mono
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        <Button type="submit" disabled={typed.trim() === '' || testing.state === 'running'}>
          {providerWords.testModel}
        </Button>
      </Form>
      {found.length === 0 ? (
        problem === undefined ? (
          <p className="text-sm text-ink-3">{items.length === 0 ? providerWords.noModels : providerWords.noMatch}</p>
        ) : null
      ) : (
        <ul aria-label={providerWords.modelsOf(provider.name)} className="divide-y divide-line text-[0.8125rem]">
          {found.slice(0, shown).map((model) => (
            <li key={model.id} className="flex flex-wrap items-baseline gap-x-4 py-1.5">
              <code className="min-w-0 [overflow-wrap:anywhere]">
                <Visible text={model.id} strict />
              </code>
              {model.name === undefined ? null : (
                <span className="text-ink-3">
                  <Visible text={model.name} />
                </span>
              )}
              <span className="basis-full text-ink-2">{factsOf(model)}</span>
            </li>
          ))}
        </ul>
      )}
      {found.length > shown ? (
        <Button size="small" onClick={() => setShown(shown + 200)}>
          {providerWords.moreModels(Math.min(200, found.length - shown))}
        </Button>
      ) : null}
    </div>
  );
}
