import type { ReactElement } from 'react';
import { Card } from '../ui/card.js';

/** Single figures beside each other. */
export function Numbers({ numbers }: { numbers: readonly { label: string; value: string }[] }): ReactElement {
  return (
    <dl className="mb-5 grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-6">
      {numbers.map(({ label, value }) => (
        <Card key={label} className="flex flex-col-reverse justify-end px-4 py-3">
          <dt className="text-[0.8125rem] text-ink-3">{label}</dt>
          <dd className="text-xl font-semibold tabular-nums">{value}</dd>
        </Card>
      ))}
    </dl>
  );
}
