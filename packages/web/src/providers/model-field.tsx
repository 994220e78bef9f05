import type { ProviderStatus } from '@countersign/protocol';
import { type ReactElement, useEffect, useRef } from 'react';
import { Button } from '../ui/button.js';
import { Combobox } from '../ui/combobox.js';
import { Note } from '../ui/note.js';
import { visibleText } from '../ui/visible-parts.js';
import { matchingModels, unlisted } from './model-choice.js';
import { factsOf } from './model-facts.js';
import type { Models } from './use-models.js';
import { t } from '../words/providers.js';

interface ModelFieldProps {
  models: Models;
  value: string;
  error: string | undefined;
  onChange: (model: string) => void;
}

/** A model from the provider's own list, or any other name. */
export function ModelField({ models, value, error, onChange }: ModelFieldProps): ReactElement {
  return (
    <Combobox
      label={t.model}
      value={value}
      error={error}
      hint={models.why !== undefined ? t.noModelList : models.state === 'loading' ? t.modelsLoading : t.modelHint}
      choicesFor={(typed) =>
        matchingModels(models.items, typed).map((model) => ({ value: model.id, note: factsOf(model) }))
      }
      onChange={onChange}
    />
  );
}

/** Warns about a model that the provider doesn't list (P9.2). It can be used anyway. */
export function UnlistedModel({
  provider,
  models,
  model,
  onChange,
}: {
  provider: ProviderStatus | undefined;
  models: Models;
  model: string;
  onChange: (model: string) => void;
}): ReactElement | null {
  const box = useRef<HTMLDivElement>(null);
  // The button that saves may be at the other end of a long form.
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const missing = models.isListed ? unlisted(models.items, model) : undefined;
  if (missing === undefined || provider === undefined) return null;
  const { closest } = missing;
  return (
    <div ref={box}>
      <Note>
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {t.notListed(provider.name)}
          {closest === undefined ? null : (
            <Button size="small" onClick={() => onChange(closest)}>
              {t.useModel(visibleText(closest))}
            </Button>
          )}
        </span>
      </Note>
    </div>
  );
}
