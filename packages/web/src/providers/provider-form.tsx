import {
  isUnencrypted,
  PROVIDER_KINDS,
  type ProviderKind,
  providerKindFacts,
  providerKindSchema,
  type ProviderStatus,
} from '@countersign/protocol';
import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { useClient } from '../data/connection.js';
import { Form } from '../form/form.js';
import { useSaving } from '../form/use-saving.js';
import { Button } from '../ui/button.js';
import { Select, TextField } from '../form/field.js';
import { focusInvalid } from '../form/focus-invalid.js';
import { Note } from '../notices/note.js';
import { KeyField } from './key-field.js';
import {
  draftOf,
  type KeyPlan,
  keyStep,
  type ProviderDraft,
  startDraft,
  switchKind,
  toChange,
  toNewProvider,
} from './provider-draft.js';
import type { TestProblem } from './test-problem.js';
import { providerWords } from '../words/providers.js';

interface ProviderFormProps {
  /** The provider to edit. Undefined for a new one. */
  saved?: ProviderStatus | undefined;
  kind?: ProviderKind | undefined;
  /** Names of the other providers. */
  taken: readonly string[];
  submit: string;
  /** Why the saved version doesn't work; shown at its field until something changes. */
  problem?: TestProblem | undefined;
  /** Called when it is saved. The test that follows says so, together with its result. */
  onDone: (saved: ProviderStatus) => void;
  /** A button to leave the form. */
  leave?: ReactNode;
}

const KINDS = Object.entries(PROVIDER_KINDS).map(([value, { label }]) => ({ value, label }));

/** Adds or edits a provider. The server validates it; errors are shown next to their fields. */
export function ProviderForm({
  saved,
  kind = 'openai',
  taken,
  submit,
  problem,
  onDone,
  leave,
}: ProviderFormProps): ReactElement {
  const client = useClient();
  const saving = useSaving();
  const [draft, setDraft] = useState(() => (saved === undefined ? startDraft(kind, taken) : draftOf(saved)));
  const [chosen, setChosen] = useState<KeyPlan>(
    saved?.hasKey === true && problem?.field === 'apiKey' ? 'replace' : 'keep',
  );
  const [stale, setStale] = useState(problem);
  const change = (part: Partial<ProviderDraft>): void => {
    setStale(undefined);
    setDraft({ ...draft, ...part });
  };
  const errorOf = (field: string): string | undefined =>
    saving.errorOf(field) ?? (stale?.field === field ? stale.words : undefined);
  const facts = providerKindFacts(draft.kind);
  const step = keyStep(saved, draft, chosen);
  useEffect(() => {
    if (problem !== undefined) focusInvalid(saving.form.current);
  }, [problem]);
  const save = async (): Promise<void> => {
    if (chosen === 'replace' && step.sends === 'keep') return saving.refuse('apiKey', providerWords.enterKey);
    let result: ProviderStatus | undefined;
    const isSaved = await saving.load(async () => {
      if (saved === undefined) {
        result = await client.addProvider(toNewProvider(draft));
        return;
      }
      const changed = toChange(saved, draft, step.sends);
      result = changed === undefined ? saved : await client.updateProvider(saved.id, changed);
    });
    if (isSaved && result !== undefined) onDone(result);
  };
  const sendsKey = step.sends === 'replace' || (step.sends === 'keep' && saved?.hasKey === true);
  return (
    <Form saving={saving} noValidate onSubmit={save}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Select
          label={providerWords.kind}
          value={draft.kind}
          error={errorOf('kind')}
          options={KINDS}
          onChange={(event) => {
            const chosen = providerKindSchema.safeParse(event.target.value);
            if (chosen.success) setDraft(switchKind(draft, chosen.data, saved === undefined ? taken : []));
          }}
        />
        <TextField
          label={providerWords.name}
          required
          value={draft.name}
          error={errorOf('name')}
          onChange={(event) => change({ name: event.target.value })}
        />
      </div>
      <TextField
        label={providerWords.baseUrl}
        mono
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        value={draft.baseUrl}
        error={errorOf('baseUrl')}
        hint={providerWords.baseUrlHint(facts.baseUrl, facts.example)}
        onChange={(event) => change({ baseUrl: event.target.value })}
      />
      <KeyField
        kind={draft.kind}
        step={step}
        canKeep={saved?.hasKey === true}
        value={draft.apiKey}
        error={errorOf('apiKey')}
        onPlan={(next) => {
          setChosen(next);
          change({ apiKey: '' });
        }}
        onChange={(apiKey) => change({ apiKey })}
      />
      {sendsKey && isUnencrypted(draft.baseUrl) ? <Note>{providerWords.unencrypted}</Note> : null}
      <div className="flex justify-end gap-2">
        {leave}
        <Button look="primary" type="submit" disabled={saving.busy || draft.name.trim() === ''}>
          {submit}
        </Button>
      </div>
    </Form>
  );
}
