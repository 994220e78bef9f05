import type { Change } from '@countersign/client';
import type { ModelSettings } from '@countersign/protocol';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { Select, TextField } from '../form/field.js';
import { modelWords } from '../words/model-settings.js';
import { readNumber } from '../form/read-number.js';
import type { Fields } from '../form/use-fields.js';
import type { Saving } from '../form/use-saving.js';

/** The settings as typed. An empty field means the model's default (MODEL10). */
export interface SettingTexts {
  temperature: string;
  topP: string;
  maxTokens: string;
  contextTokens: string;
  /** `budget` uses the number in `budget`. */
  thinking: string;
  budget: string;
  parallelToolCalls: string;
}

export function textsOf(agent: ModelSettings | undefined): SettingTexts {
  const { temperature, topP, maxTokens, contextTokens, thinking, parallelToolCalls } = agent ?? {};
  return {
    temperature: temperature?.toString() ?? '',
    topP: topP?.toString() ?? '',
    maxTokens: maxTokens?.toString() ?? '',
    contextTokens: contextTokens?.toString() ?? '',
    thinking: typeof thinking === 'number' ? 'budget' : (thinking ?? ''),
    budget: typeof thinking === 'number' ? thinking.toString() : '',
    parallelToolCalls: parallelToolCalls === undefined ? '' : parallelToolCalls ? 'on' : 'off',
  };
}

/** The change to save: null for each empty field, which resets it. The server checks the ranges. */
export function readSettings(
  texts: SettingTexts,
): { ok: true; change: Change<ModelSettings> } | { ok: false; field: keyof ModelSettings; words: string } {
  const whole = (text: string): ReturnType<typeof readNumber> => readNumber(text, 'whole');
  const numbers = {
    temperature: readNumber(texts.temperature),
    topP: readNumber(texts.topP),
    maxTokens: whole(texts.maxTokens),
    contextTokens: whole(texts.contextTokens),
    thinking: texts.thinking === 'budget' ? whole(texts.budget) : 'empty',
  } as const;
  const wrong = (['temperature', 'topP', 'maxTokens', 'contextTokens', 'thinking'] as const).find(
    (field) => numbers[field] === 'not-a-number',
  );
  if (wrong !== undefined) return { ok: false, field: wrong, words: modelWords.wrong[wrong] };
  if (typeof numbers.temperature === 'number' && numbers.temperature > 2)
    return { ok: false, field: 'temperature', words: modelWords.wrong.temperature };
  if (texts.thinking === 'budget' && numbers.thinking === 'empty')
    return { ok: false, field: 'thinking', words: modelWords.wrong.thinking };
  const { thinking } = texts;
  const level = thinking === 'off' || thinking === 'low' || thinking === 'medium' || thinking === 'high';
  return {
    ok: true,
    change: {
      temperature: toSetting(numbers.temperature),
      topP: toSetting(numbers.topP),
      maxTokens: toSetting(numbers.maxTokens),
      contextTokens: toSetting(numbers.contextTokens),
      thinking: level ? thinking : toSetting(numbers.thinking),
      parallelToolCalls: texts.parallelToolCalls === '' ? null : texts.parallelToolCalls === 'on',
    },
  };
}

function toSetting(number: number | 'empty' | 'not-a-number'): number | null {
  return typeof number === 'number' ? number : null;
}

/** The settings for a new agent: only those that are set. */
export function withoutNulls(change: Change<ModelSettings>): ModelSettings {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null));
}

const FIELDS = ['temperature', 'topP', 'maxTokens', 'contextTokens', 'thinking', 'parallelToolCalls'] as const;

export function ModelSettingsFields({
  fields: { values, text },
  saving,
}: {
  fields: Fields<SettingTexts>;
  saving: Saving;
}): ReactElement {
  const fold = useRef<HTMLDetailsElement>(null);
  const [wasSet] = useState(() => Object.values(values).some((each) => each !== ''));
  const isWrong = FIELDS.some((field) => saving.errorOf(field) !== undefined);
  const hasBudget = values.thinking === 'budget';
  // An error in a closed group would be invisible.
  useEffect(() => {
    if (isWrong && fold.current !== null) fold.current.open = true;
  }, [isWrong]);
  return (
    <details ref={fold} className="text-sm" open={wasSet}>
      <summary className="font-medium">{modelWords.title}</summary>
      <p className="mt-1 text-ink-3">{modelWords.lead}</p>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        <Select
          label={modelWords.thinking}
          hint={modelWords.thinkingHint}
          options={modelWords.thinkingOptions}
          {...text('thinking')}
          error={hasBudget ? undefined : saving.errorOf('thinking')}
        />
        {hasBudget ? (
          <TextField
            label={modelWords.budget}
            inputMode="numeric"
            hint={modelWords.budgetHint}
            {...text('budget', 'thinking')}
          />
        ) : null}
        {NUMBERS.map(({ name, inputMode, hint }) => (
          <TextField
            key={name}
            label={modelWords[name]}
            inputMode={inputMode}
            hint={modelWords[hint]}
            {...text(name)}
          />
        ))}
        <Select
          label={modelWords.parallelToolCalls}
          options={modelWords.parallelOptions}
          {...text('parallelToolCalls')}
        />
      </div>
    </details>
  );
}

const NUMBERS = [
  { name: 'temperature', inputMode: 'decimal', hint: 'temperatureHint' },
  { name: 'topP', inputMode: 'decimal', hint: 'topPHint' },
  { name: 'maxTokens', inputMode: 'numeric', hint: 'maxTokensHint' },
  { name: 'contextTokens', inputMode: 'numeric', hint: 'contextTokensHint' },
] as const;
