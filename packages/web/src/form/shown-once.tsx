import { type ReactElement, useId } from 'react';
import { CopyButton } from '../text/copy-button.js';
import { fieldBox } from './field.js';
import { cx } from '../ui/cx.js';

/** A secret that is shown once, in a field that a click selects, with a copy button. */
export function ShownOnce({ label, text }: { label: string; text: string }): ReactElement {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <div className="flex items-center gap-2">
        <input
          id={id}
          readOnly
          value={text}
          onFocus={({ target }) => target.select()}
          className={cx(fieldBox, 'h-9 min-w-0 flex-1 font-mono text-[0.8125rem]')}
        />
        <CopyButton text={text} className="h-9 border border-line-2 text-sm text-ink" />
      </div>
    </div>
  );
}
