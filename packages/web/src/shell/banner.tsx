import type { Connection } from '@countersign/client';
import type { ReactElement } from 'react';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Visible } from '../ui/visible.js';

/** How the stream stands. It lies over the page rather than pushing it: nothing moves under the pointer. */
export function Banner({ connection, onRetry }: { connection: Connection; onRetry: () => void }): ReactElement {
  const words =
    connection.kind === 'reconnecting'
      ? 'Reconnecting… nothing is lost'
      : connection.kind === 'closed' && connection.why !== undefined && connection.status !== 404
        ? connection.why
        : undefined;
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 top-0 z-40 flex justify-center px-3">
      {words === undefined ? null : (
        <div className="pointer-events-auto mt-2 flex animate-rise items-center gap-2 rounded-full border border-amber-line bg-amber-soft py-1 pr-1 pl-3 text-sm text-amber shadow-card">
          <Icon name={connection.kind === 'reconnecting' ? 'hourglass' : 'alert'} />
          <Visible text={words} />
          <Button size="small" look="quiet" className="rounded-full text-amber" onClick={onRetry}>
            Try now
          </Button>
        </div>
      )}
    </div>
  );
}
