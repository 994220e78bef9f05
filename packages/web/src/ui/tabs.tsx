import { Tabs as Radix } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';

export function Tabs({
  label,
  tabs,
}: {
  label: string;
  tabs: readonly { value: string; label: string; content: ReactNode }[];
}): ReactElement {
  return (
    <Radix.Root defaultValue={tabs[0]?.value ?? ''}>
      <Radix.List aria-label={label} className="flex gap-1 border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px min-h-9 border-b-2 border-transparent px-3 text-sm text-ink-2 hover:text-ink data-[state=active]:border-blue data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="pt-4">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
