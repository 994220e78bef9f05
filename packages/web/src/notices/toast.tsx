import { ClientError } from '@countersign/client';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { errorText } from '../data/error-text.js';
import { createSignal } from '../data/signal.js';
import { useSignal } from '../data/use-signal.js';
import { IconButton } from '../ui/button.js';
import { cx } from '../ui/cx.js';
import { Icon } from '../ui/icon.js';
import { Visible } from '../text/visible.js';
import { uiWords } from '../words/ui.js';

interface Toast {
  id: number;
  /** The action that failed. */
  about?: string;
  /** Whether it failed because the server did not answer. */
  isConnection?: boolean;
  tone: 'neutral' | 'red' | 'green';
  text: string;
  /** Where the person can fix it. */
  link?: ToastLink | undefined;
}

interface ToastLink {
  href: string;
  label: string;
}

const toasts = createSignal<readonly Toast[]>([]);
let last = 0;

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

function show(toast: Omit<Toast, 'id'>): number {
  last += 1;
  const others = toasts.get().filter(({ text }) => text !== toast.text);
  toasts.set([...others.slice(-2), { ...toast, id: last }]);
  return last;
}

/** Shows a short message for a while. */
export function say(text: string, tone: 'neutral' | 'green' = 'neutral'): void {
  const id = show({ tone, text });
  setTimeout(() => dismiss(id), 6000);
}

/** Shows an error until it is dismissed, the same action succeeds, or the page changes, because a person may be looking elsewhere. */
export function sayError(about: string, error: unknown, link?: ToastLink): void {
  clearErrors(about);
  const isConnection = error instanceof ClientError && error.kind === 'network';
  show({ tone: 'red', text: errorText(error), about, isConnection, link });
}

/** Called when the connection is back: "The server is not responding" is no longer true, and the page shows the current state. */
export function clearConnectionErrors(): void {
  keep(({ isConnection }) => isConnection !== true);
}

/** Removes an action's errors, or all errors. */
export function clearErrors(about?: string): void {
  keep((toast) => toast.tone !== 'red' || (about !== undefined && toast.about !== about));
}

function keep(isKept: (toast: Toast) => boolean): void {
  if (!toasts.get().every(isKept)) toasts.set(toasts.get().filter(isKept));
}

/** Resolves to undefined on failure, whose error is shown until the action succeeds. */
export async function orSayWhy<T>(about: string, work: Promise<T>): Promise<T | undefined> {
  try {
    const result = await work;
    clearErrors(about);
    return result;
  } catch (error) {
    sayError(about, error);
    return undefined;
  }
}

/** Resolves to true if the action succeeded, after saying `done`. */
export async function attempt(about: string, work: Promise<unknown>, done?: string): Promise<boolean> {
  const isDone =
    (await orSayWhy(
      about,
      work.then(() => true),
    )) === true;
  if (isDone && done !== undefined) say(done, 'green');
  return isDone;
}

export function Toasts(): ReactElement {
  const shown = useSignal(toasts);
  return (
    <div role="status" aria-live="polite" className="flex max-w-full flex-col items-center max-md:flex-col-reverse">
      {shown.map((toast) => (
        <div
          key={toast.id}
          className={cx(
            'pointer-events-auto my-1 flex max-w-xl animate-rise items-start gap-2 rounded-lg border bg-raised py-0.5 pr-0.5 pl-3 text-sm shadow-card',
            toast.tone === 'red'
              ? 'border-red text-red'
              : toast.tone === 'green'
                ? 'border-green text-green'
                : 'border-line-2',
          )}
        >
          <Icon name={toast.tone === 'red' ? 'alert' : toast.tone === 'green' ? 'check' : 'chat'} className="mt-2.5" />
          <span className="min-w-0 py-2 [overflow-wrap:anywhere]">
            <Visible text={toast.text} />
            {toast.link === undefined ? null : (
              <>
                {' '}
                <Link href={toast.link.href} className="font-medium underline">
                  {toast.link.label}
                </Link>
              </>
            )}
          </span>
          <IconButton icon="cross" label={uiWords.dismiss} onClick={() => dismiss(toast.id)} />
        </div>
      ))}
    </div>
  );
}
