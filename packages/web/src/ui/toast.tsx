import { type ReactElement, useSyncExternalStore } from 'react';
import { IconButton } from './button.js';
import { cx } from './cx.js';
import { Icon } from './icon.js';
import { Visible } from './visible.js';
import { t } from '../words/ui.js';

interface Toast {
  id: number;
  tone: 'neutral' | 'red' | 'green';
  text: string;
}

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function dismiss(id: number): void {
  set(toasts.filter((toast) => toast.id !== id));
}

/** Shows a short message. Errors stay until they are closed: a person may be looking elsewhere. */
export function say(text: string, tone: Toast['tone'] = 'neutral'): void {
  last += 1;
  const id = last;
  set([...toasts.filter((toast) => toast.text !== text).slice(-2), { id, tone, text }]);
  if (tone !== 'red') setTimeout(() => dismiss(id), 6000);
}

/** Shows an error, with the server's own message if there is one. */
export function sayError(error: unknown): void {
  say(error instanceof Error ? error.message : t.failed, 'red');
}

export function Toasts(): ReactElement {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div role="status" aria-live="polite" className="flex max-w-full flex-col items-center gap-2">
      {shown.map((toast) => (
        <div
          key={toast.id}
          className={cx(
            'pointer-events-auto flex max-w-xl animate-rise items-start gap-2 rounded-lg border bg-raised py-1.5 pr-1.5 pl-3 text-sm shadow-card',
            toast.tone === 'red'
              ? 'border-red text-red'
              : toast.tone === 'green'
                ? 'border-green text-green'
                : 'border-line-2',
          )}
        >
          <Icon name={toast.tone === 'red' ? 'alert' : toast.tone === 'green' ? 'check' : 'chat'} className="mt-1" />
          <span className="min-w-0 py-0.5 [overflow-wrap:anywhere]">
            <Visible text={toast.text} />
          </span>
          <IconButton icon="cross" label={t.dismiss} className="size-7" onClick={() => dismiss(toast.id)} />
        </div>
      ))}
    </div>
  );
}
