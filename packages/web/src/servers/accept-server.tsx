import { ClientError } from '@countersign/client';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { NotRead } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { clearErrors, say, sayError } from '../notices/toast.js';
import { ChangedTools } from './changed-tools.js';
import { useServer } from './use-server.js';
import { serverWords } from '../words/servers.js';

/** Accepts a server's tool definitions: exactly those shown here, by their ETag, and no later ones (W6). */
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
  // The definitions must not change while a person reads them.
  const server = useServer(worldId, name, 'once');
  const [state, setState] = useState<'reading' | 'busy' | 'overtaken'>('reading');
  const etag = server.kind === 'ready' ? server.data.etag : undefined;
  const accept = async (ifMatch: string): Promise<void> => {
    setState('busy');
    try {
      await client.updateMcpServer(worldId, name, { accept: true }, { ifMatch });
      clearErrors(`server-${name}`);
      say(serverWords.accepted(name), 'green');
      onClose();
    } catch (error) {
      const isOvertaken = error instanceof ClientError && error.status === 412;
      if (isOvertaken) await server.reread();
      else sayError(`server-${name}`, error);
      setState(isOvertaken ? 'overtaken' : 'reading');
    }
  };
  return (
    <Dialog title={serverWords.definitions(name)} onClose={onClose}>
      <div className="space-y-2 text-sm">
        {server.kind === 'ready' ? null : <NotRead read={server} what={serverWords.theServer} />}
        {state === 'overtaken' ? (
          <p role="alert" className="text-red">
            {serverWords.overtaken}
          </p>
        ) : null}
        {server.kind === 'ready' ? <ChangedTools changed={server.data.value.changed} /> : null}
      </div>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>{serverWords.notNow}</Button>
        {etag === undefined ? null : (
          <Button look="primary" disabled={state === 'busy'} onClick={() => void accept(etag)}>
            {serverWords.accept}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
