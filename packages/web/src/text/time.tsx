import { agoText, durationText } from '@countersign/client';
import { type ReactElement, useSyncExternalStore } from 'react';
import { clockText } from './time-text.js';

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  now = Date.now();
  // One timer for the whole page: one per card would wake the CPU for each.
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The current time, updated every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

export function Ago({ at }: { at: string }): ReactElement {
  const time = useNow();
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {agoText(at, Math.max(time, Date.now()))}
    </time>
  );
}

export function Clock({ at }: { at: string }): ReactElement {
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()} className="tabular-nums">
      {clockText(at, Date.now())}
    </time>
  );
}

/** The time since something started. */
export function Running({ since }: { since: string }): ReactElement {
  const time = useNow();
  return <span className="tabular-nums">{durationText(Math.max(0, time - Date.parse(since)))}</span>;
}

/** The remaining time. */
export function Until({ at }: { at: string }): ReactElement {
  const time = useNow();
  return <span className="tabular-nums">{durationText(Math.max(0, Date.parse(at) - time))}</span>;
}
