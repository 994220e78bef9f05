import { ClientError } from '@countersign/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { Failed, Loading } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { say, sayError } from '../ui/toast.js';
import { ChangedTools } from './changed-tools.js';

/** Accepts what a server says of itself: what stands here, under the tag it was read with, and nothing that came after (W6). */
export function AcceptServer({
  worldId,
  name,
  onClose,
}: {
  worldId: string;
  name: string;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const server = useQuery({
    queryKey: ['server', worldId, name],
    queryFn: ({ signal }) => client.mcpServer(worldId, name, { signal }),
    // Not under the eyes of who reads it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [state, setState] = useState<'reading' | 'busy' | 'overtaken'>('reading');
  const etag = server.data?.etag;
  const accept = async (ifMatch: string): Promise<void> => {
    setState('busy');
    try {
      await client.updateMcpServer(worldId, name, { accept: true }, { ifMatch });
      say(`${name} is accepted as it is now.`, 'green');
      onClose();
    } catch (error) {
      const isOvertaken = error instanceof ClientError && error.status === 412;
      if (isOvertaken) await server.refetch();
      else sayError(error);
      setState(isOvertaken ? 'overtaken' : 'reading');
    }
  };
  return (
    <Dialog title={`What ${name} says of itself`} onClose={onClose}>
      <div className="space-y-2 text-sm">
        {server.isPending ? <Loading what="the server" /> : null}
        {server.isError ? <Failed why={server.error.message} /> : null}
        {state === 'overtaken' ? (
          <p role="alert" className="text-red">
            It says something else of itself by now, and nothing was accepted. This is what it says:
          </p>
        ) : null}
        {server.data === undefined ? null : <ChangedTools changed={server.data.value.changed} />}
      </div>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>Not now</Button>
        {etag === undefined ? null : (
          <Button look="primary" disabled={state === 'busy'} onClick={() => void accept(etag)}>
            Accept
          </Button>
        )}
      </div>
    </Dialog>
  );
}
