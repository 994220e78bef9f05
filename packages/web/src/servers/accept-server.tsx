import { ClientError } from '@countersign/client';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { NotRead } from '../shell/frame.js';
import { Confirm } from '../form/confirm.js';
import { ErrorLine } from '../text/error-line.js';
import { clearErrors, say, sayError } from '../notices/toast.js';
import { ChangedTools } from './changed-tools.js';
import { type ServerDialogProps, useServer } from './use-server.js';
import { serverWords } from '../words/servers.js';

/** Accepts a server's tool definitions: exactly those shown here, by their ETag, and no later ones (HTTP15). */
export function AcceptServer({ worldId, name, onClose }: ServerDialogProps): ReactElement {
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
    <Confirm
      title={serverWords.definitions(name)}
      action={etag === undefined ? undefined : serverWords.accept}
      look="primary"
      disabled={state === 'busy'}
      cancel={serverWords.notNow}
      onConfirm={() => (etag === undefined ? undefined : accept(etag))}
      onClose={onClose}
    >
      {server.kind === 'ready' ? null : <NotRead read={server} what={serverWords.theServer} />}
      <ErrorLine text={state === 'overtaken' ? serverWords.overtaken : undefined} />
      {server.kind === 'ready' ? <ChangedTools changed={server.data.value.changed} /> : null}
    </Confirm>
  );
}
