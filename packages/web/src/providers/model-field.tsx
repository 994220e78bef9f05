import { type ReactElement, useEffect, useId, useRef } from 'react';
import { Button } from '../ui/button.js';
import { Combobox } from '../form/combobox.js';
import { Note } from '../notices/note.js';
import { visibleText } from '../text/visible-parts.js';
import { Visible } from '../text/visible.js';
import { matchingModels } from './model-choice.js';
import { factsOf } from './model-facts.js';
import type { Models } from './use-models.js';
import type { ModelWarning } from './use-unlisted.js';
import { providerWords } from '../words/providers.js';

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
      label={providerWords.model}
      value={value}
      error={error}
      hint={
        models.why !== undefined
          ? providerWords.noModelList
          : models.state === 'loading'
            ? providerWords.modelsLoading
            : providerWords.modelHint
      }
      choicesFor={(typed) =>
        matchingModels(models.items, typed).map((model) => ({ value: model.id, note: factsOf(model) }))
      }
      onChange={onChange}
    />
  );
}

/** Warns about a model that the provider doesn't seem to have, with the most similar one (MODEL9.2). It can be saved anyway. */
export function UnknownModel({
  warning,
  onUse,
  onAnyway,
}: {
  warning: ModelWarning;
  onUse: (model: string) => void;
  onAnyway: (() => void) | undefined;
}): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  // The button that saves may be at the other end of a long form.
  useEffect(() => {
    box.current?.querySelector('button')?.focus();
    box.current?.scrollIntoView({ block: 'nearest' });
  }, [warning]);
  const id = useId();
  const { words, closest } = warning;
  return (
    <div ref={box}>
      <Note>
        <p id={id}>
          <Visible text={words} />
        </p>
        <p className="mt-2 flex flex-wrap gap-2">
          {closest === undefined ? null : (
            <Button size="small" aria-describedby={id} onClick={() => onUse(closest)}>
              {providerWords.useModel(visibleText(closest))}
            </Button>
          )}
          <Button size="small" aria-describedby={id} disabled={onAnyway === undefined} onClick={onAnyway}>
            {providerWords.saveAnyway}
          </Button>
        </p>
      </Note>
    </div>
  );
}
