import type { ReactElement } from 'react';
import { Mark } from '../ui/signature.js';
import { shellWords } from '../words/shell.js';

/** What a device shows that has opened a link, until the device that made the link confirms the code. */
export function PairingPage({ code }: { code: string }): ReactElement {
  return (
    <main className="flex h-full items-center justify-center overflow-y-auto p-4">
      <div className="max-w-md" role="status">
        <Mark className="h-8 text-blue" />
        <h1 className="mt-3 text-2xl font-semibold tracking-tight">{shellWords.pairing}</h1>
        <p className="mt-3 text-ink-2">{shellWords.pairingLead}</p>
        <p className="mt-4 font-mono text-3xl tabular-nums">{spaced(code)}</p>
      </div>
    </main>
  );
}

/** `482 913`: easier to compare. */
export function spaced(code: string): string {
  return `${code.slice(0, 3)} ${code.slice(3)}`;
}
