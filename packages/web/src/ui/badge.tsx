import type { ReactElement, ReactNode } from 'react';
import { cx } from './cx.js';
import { Icon } from './icon.js';
import type { IconName } from './icon-paths.js';
import type { Tone } from './tone.js';

const TONES: Readonly<Record<Tone, string>> = {
  neutral: 'bg-sunken text-ink-2',
  blue: 'bg-blue-soft text-blue',
  amber: 'bg-amber-soft text-amber',
  green: 'bg-green-soft text-green',
  red: 'bg-red-soft text-red',
};

/** A state: a word with an icon and a colour, never the colour alone. */
export function Badge({
  tone = 'neutral',
  icon,
  children,
  className,
}: {
  tone?: Tone;
  icon?: IconName;
  children: ReactNode;
  className?: string;
}): ReactElement {
  return (
    <span
      className={cx(
        'inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap',
        TONES[tone],
        className,
      )}
    >
      {icon === undefined ? null : <Icon name={icon} className="size-3.5" />}
      {children}
    </span>
  );
}

/** The number of waiting items: a number, or text such as "100+". Screen readers also read `of`. */
export function Count({ value, of }: { value: number | string; of: string }): ReactElement | null {
  if (value === 0 || value === '') return null;
  return (
    <span className="inline-flex min-w-5 items-center justify-center rounded-full bg-amber-soft px-1.5 text-xs font-semibold text-amber tabular-nums ring-1 ring-amber-line">
      {value}
      <span className="sr-only"> {of}</span>
    </span>
  );
}
