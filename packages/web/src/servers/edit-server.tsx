import type { ReactElement } from 'react';
import { NotRead } from '../shell/frame.js';
import { Dialog } from '../ui/dialog.js';
import { ServerForm } from './server-form.js';
import { useServer } from './use-server.js';
import { serverWords } from '../words/servers.js';

/**
 * Edits the current version of a server: if someone else changes it in the meantime, saving is rejected instead of overwriting that change
 * (W6).
 */
export function EditServer({
  worldId,
  name,
  onClose,
}: {
  worldId: string;
  name: string;
  onClose: () => void;
}): ReactElement {
  const server = useServer(worldId, name, 'once');
  return (
    <Dialog title={serverWords.editTitle(name)} onClose={onClose}>
      {server.kind === 'ready' ? (
        <ServerForm worldId={worldId} edited={{ server: server.data.value, etag: server.data.etag }} onDone={onClose} />
      ) : (
        <NotRead read={server} what={serverWords.theServer} />
      )}
    </Dialog>
  );
}
