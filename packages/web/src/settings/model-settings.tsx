import type { Change } from '@countersign/client';
import type { ModelSettings } from '@countersign/protocol';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { Select, TextField } from '../form/field.js';
import { modelWords } from '../words/model-settings.js';
import { readNumber } from '../form/read-number.js';
import type { Saving } from '../form/use-saving.js';

/** The settings as typed. An empty field means the model's default (P10). */
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
  const numbers = {
    temperature: readNumber(texts.temperature),
    topP: readNumber(texts.topP),
    maxTokens: readNumber(texts.maxTokens, 'whole'),
    contextTokens: readNumber(texts.contextTokens, 'whole'),
    thinking: texts.thinking === 'budget' ? readNumber(texts.budget, 'whole') : 'empty',
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
  texts,
  saving,
  onChange,
}: {
  texts: SettingTexts;
  saving: Saving;
  onChange: (texts: SettingTexts) => void;
}): ReactElement {
  const set = (part: Partial<SettingTexts>): void => onChange({ ...texts, ...part });
  const fold = useRef<HTMLDetailsElement>(null);
  const [wasSet] = useState(() => Object.values(texts).some((text) => text !== ''));
  const isWrong = FIELDS.some((field) => saving.errorOf(field) !== undefined);
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
          value={texts.thinking}
          hint={modelWords.thinkingHint}
          error={texts.thinking === 'budget' ? undefined : saving.errorOf('thinking')}
          options={modelWords.thinkingOptions}
          onChange={(event) => set({ thinking: event.target.value })}
        />
        {texts.thinking === 'budget' ? (
          <TextField
            label={modelWords.budget}
            inputMode="numeric"
            value={texts.budget}
            error={saving.errorOf('thinking')}
            hint={modelWords.budgetHint}
            onChange={(event) => set({ budget: event.target.value })}
          />
        ) : null}
        <TextField
          label={modelWords.temperature}
          inputMode="decimal"
          value={texts.temperature}
          error={saving.errorOf('temperature')}
          hint={modelWords.temperatureHint}
          onChange={(event) => set({ temperature: event.target.value })}
        />
        <TextField
          label={modelWords.topP}
          inputMode="decimal"
          value={texts.topP}
          error={saving.errorOf('topP')}
          hint={modelWords.topPHint}
          onChange={(event) => set({ topP: event.target.value })}
        />
        <TextField
          label={modelWords.maxTokens}
          inputMode="numeric"
          value={texts.maxTokens}
          error={saving.errorOf('maxTokens')}
          hint={modelWords.maxTokensHint}
          onChange={(event) => set({ maxTokens: event.target.value })}
        />
        <TextField
          label={modelWords.contextTokens}
          inputMode="numeric"
          value={texts.contextTokens}
          error={saving.errorOf('contextTokens')}
          hint={modelWords.contextTokensHint}
          onChange={(event) => set({ contextTokens: event.target.value })}
        />
        <Select
          label={modelWords.parallelToolCalls}
          value={texts.parallelToolCalls}
          error={saving.errorOf('parallelToolCalls')}
          options={modelWords.parallelOptions}
          onChange={(event) => set({ parallelToolCalls: event.target.value })}
        />
      </div>
    </details>
  );
}
