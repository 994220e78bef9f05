import type { ReactElement } from 'react';
import { Loaded } from '../shell/frame.js';
import { Dialog } from '../ui/dialog.js';
import { ServerForm } from './server-form.js';
import { type ServerDialogProps, useServer } from './use-server.js';
import { serverWords } from '../words/servers.js';

/**
 * Edits the current version of a server: if someone else changes it in the meantime, saving is rejected instead of overwriting that change
 * (HTTP15).
 */
export function EditServer({ worldId, name, onClose }: ServerDialogProps): ReactElement {
  const server = useServer(worldId, name, 'once');
  return (
    <Dialog title={serverWords.editTitle(name)} onClose={onClose}>
      <Loaded read={server} what={serverWords.theServer}>
        {({ value, etag }) => <ServerForm worldId={worldId} edited={{ server: value, etag }} onDone={onClose} />}
      </Loaded>
    </Dialog>
  );
}
