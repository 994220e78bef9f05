import { providerKindFacts, type ProviderKind } from '@countersign/protocol';
import { type ReactElement, useId } from 'react';
import { Button } from '../ui/button.js';
import { TextField } from '../form/field.js';
import type { KeyPlan, keyStep } from './provider-draft.js';
import { providerWords } from '../words/providers.js';

interface KeyFieldProps {
  kind: ProviderKind;
  step: ReturnType<typeof keyStep>;
  /** Set if the person chose to replace a saved key and can still change their mind. */
  canKeep: boolean;
  value: string;
  error: string | undefined;
  onPlan: (plan: KeyPlan) => void;
  onChange: (value: string) => void;
}

/** The key, which can be entered and replaced, but is never shown. */
export function KeyField({ kind, step, canKeep, value, error, onPlan, onChange }: KeyFieldProps): ReactElement {
  const { label, key, keyPage } = providerKindFacts(kind);
  if (step.shows !== 'field')
    return (
      <SavedKey isRemoved={step.shows === 'removal'} canRemove={key === 'optional'} error={error} onPlan={onPlan} />
    );
  const canRemove = key === 'optional' && step.again !== undefined;
  const again =
    step.again === undefined
      ? undefined
      : step.again === 'moved'
        ? providerWords.keyAgain(canRemove)
        : providerWords.keyUnreadable(canRemove);
  return (
    <div>
      <TextField
        label={key === 'required' || again !== undefined ? providerWords.apiKey : providerWords.apiKeyOptional}
        type="password"
        mono
        // Browsers ignore `off`, and no saved password belongs here.
        autoComplete="new-password"
        spellCheck={false}
        value={value}
        error={error}
        hint={again ?? providerWords.apiKeyHint}
        onChange={(event) => onChange(event.target.value)}
      />
      <div className="mt-1 flex flex-wrap gap-x-4 gap-y-1 text-[0.8125rem]">
        {keyPage === undefined ? null : (
          <a href={keyPage} target="_blank" rel="noreferrer" className="text-blue underline">
            {providerWords.getKey(label)}
          </a>
        )}
        {canRemove ? (
          <button type="button" className="text-blue underline" onClick={() => onPlan('remove')}>
            {providerWords.removeKey}
          </button>
        ) : null}
        {canKeep && again === undefined ? (
          <button type="button" className="text-blue underline" onClick={() => onPlan('keep')}>
            {providerWords.keepKey}
          </button>
        ) : null}
      </div>
    </div>
  );
}

function SavedKey({
  isRemoved,
  canRemove,
  error,
  onPlan,
}: {
  isRemoved: boolean;
  canRemove: boolean;
  error: string | undefined;
  onPlan: (plan: KeyPlan) => void;
}): ReactElement {
  const labelId = useId();
  return (
    <div role="group" aria-labelledby={labelId}>
      <p id={labelId} className="mb-1 text-sm font-medium">
        {providerWords.apiKey}
      </p>
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <span className="mr-auto text-ink-2">{isRemoved ? providerWords.keyWillGo : providerWords.keyIsSaved}</span>
        {isRemoved ? (
          <Button size="small" onClick={() => onPlan('keep')}>
            {providerWords.keepKey}
          </Button>
        ) : (
          <Button size="small" onClick={() => onPlan('replace')}>
            {providerWords.replaceKey}
          </Button>
        )}
        {canRemove && !isRemoved ? (
          <Button size="small" look="danger" onClick={() => onPlan('remove')}>
            {providerWords.removeKey}
          </Button>
        ) : null}
      </div>
      {error === undefined ? null : <p className="mt-1 text-[0.8125rem] text-red">{error}</p>}
    </div>
  );
}
