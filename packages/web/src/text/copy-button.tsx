import { type ReactElement, useState } from 'react';
import { cx } from '../ui/cx.js';
import { Icon } from '../ui/icon.js';
import { clearErrors, sayError } from '../notices/toast.js';
import { uiWords } from '../words/ui.js';

export function CopyButton({ text, className }: { text: string; className?: string }): ReactElement {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      clearErrors('copy');
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    } catch {
      sayError('copy', new Error(uiWords.copyFailed));
    }
  };
  return (
    <button
      type="button"
      onClick={() => void copy()}
      className={cx(
        'inline-flex h-7 items-center gap-1 rounded-md px-2 text-xs text-ink-3 hover:bg-sunken hover:text-ink',
        className,
      )}
    >
      <Icon name={copied ? 'check' : 'copy'} className="size-3.5" />
      {copied ? uiWords.copied : uiWords.copy}
    </button>
  );
}
