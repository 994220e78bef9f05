import { type ReactElement, useId, useRef } from 'react';
import { Button, IconButton } from '../ui/button.js';
import { Visible } from '../text/visible.js';
import type { SecretRow } from './secret-rows.js';
import { serverWords } from '../words/servers.js';

const box =
  'h-9 w-full min-w-0 rounded-md border border-line-2 bg-surface px-3 font-mono text-[0.8125rem] text-ink hover:border-ink-3 aria-invalid:border-red';

/** Environment variables or headers. Values are write-only: a saved value can be replaced or removed, but not read. */
export function SecretFields({
  label,
  nameLabel,
  rows,
  error,
  addLabel,
  onChange,
}: {
  label: string;
  nameLabel: (position: number) => string;
  rows: readonly SecretRow[];
  error: string | undefined;
  addLabel: string;
  onChange: (rows: readonly SecretRow[]) => void;
}): ReactElement {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const change = (row: SecretRow, changed: Partial<SecretRow>): void =>
    onChange(rows.map((each) => (each.id === row.id ? { ...each, ...changed } : each)));
  const add = (): void => {
    onChange([...rows, { id: Math.max(-1, ...rows.map((row) => row.id)) + 1, name: '', value: '', saved: false }]);
    // Wait until the row is rendered.
    requestAnimationFrame(() => list.current?.querySelector<HTMLInputElement>('li:last-child input')?.focus());
  };
  return (
    <fieldset aria-describedby={`${id}-said`} className="min-w-0">
      <legend className="mb-1 text-sm font-medium text-ink">{label}</legend>
      {rows.length === 0 ? null : (
        <ul ref={list} className="mb-2 space-y-2">
          {rows.map((row, index) => {
            const which = row.name.trim() === '' ? String(index + 1) : row.name;
            return (
              <li key={row.id} className="grid grid-cols-[1fr_auto] items-center gap-2 sm:flex">
                <input
                  className={`${box} col-span-2 sm:basis-2/5`}
                  aria-label={nameLabel(index + 1)}
                  aria-invalid={error === undefined ? undefined : true}
                  placeholder={serverWords.namePlaceholder}
                  autoComplete="off"
                  spellCheck={false}
                  readOnly={row.saved}
                  value={row.name}
                  onChange={(event) => change(row, { name: event.target.value })}
                />
                <input
                  className={`${box} sm:basis-3/5`}
                  type="password"
                  aria-label={serverWords.secretValue(which)}
                  placeholder={row.saved ? serverWords.savedPlaceholder : serverWords.valuePlaceholder}
                  autoComplete="new-password"
                  value={row.value}
                  onChange={(event) => change(row, { value: event.target.value })}
                />
                <IconButton
                  icon="trash"
                  label={serverWords.removeSecret(which)}
                  onClick={() => onChange(rows.filter((each) => each.id !== row.id))}
                />
              </li>
            );
          })}
        </ul>
      )}
      <Button size="small" icon="plus" onClick={add}>
        {addLabel}
      </Button>
      <p id={`${id}-said`} className={`mt-1 text-[0.8125rem] ${error === undefined ? 'text-ink-3' : 'text-red'}`}>
        {error === undefined ? serverWords.secretsHint : <Visible text={error} />}
      </p>
    </fieldset>
  );
}
