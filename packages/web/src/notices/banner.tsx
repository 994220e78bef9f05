import type { Connection } from '@countersign/client';
import type { ReactElement } from 'react';
import { createSignal } from '../data/signal.js';
import { useSignal } from '../data/use-signal.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { clearConnectionErrors } from './toast.js';
import { Visible } from '../text/visible.js';
import { shellWords } from '../words/shell.js';

interface Trouble {
  words: string;
  isRetrying: boolean;
  retry: () => void;
}

const trouble = createSignal<Trouble | undefined>(undefined);

/** Shows the state of the connection to the world, or nothing if it is fine. */
export function showConnection(connection: Connection, retry: () => void): void {
  const words = troubleWords(connection);
  if (connection.kind === 'open') clearConnectionErrors();
  trouble.set(words === undefined ? undefined : { words, isRetrying: connection.kind === 'reconnecting', retry });
}

function troubleWords(connection: Connection): string | undefined {
  if (connection.kind === 'reconnecting') return shellWords.reconnecting;
  // A world that doesn't exist has its own page.
  return connection.kind === 'closed' && connection.status !== 404 ? connection.why : undefined;
}

export function Banner(): ReactElement {
  const shown = useSignal(trouble);
  return (
    <div role="status" className="max-w-full">
      {shown === undefined ? null : (
        <div className="pointer-events-auto my-1 flex animate-rise items-center gap-2 rounded-2xl border border-amber-line bg-amber-soft py-1 pr-1 pl-3 text-sm text-amber shadow-card">
          <Icon name={shown.isRetrying ? 'hourglass' : 'alert'} />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <Visible text={shown.words} />
          </span>
          <Button size="small" look="quiet" className="rounded-xl text-amber" onClick={shown.retry}>
            {shellWords.tryNow}
          </Button>
        </div>
      )}
    </div>
  );
}
