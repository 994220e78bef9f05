import { type ReactElement, useState } from 'react';
import { Dialog } from '../ui/dialog.js';
import { TextField } from '../form/field.js';
import { ContextList } from './context-list.js';
import type { ServerDialogProps } from './use-server.js';
import { serverWords } from '../words/servers.js';

/** What a server offers besides tools. */
export function ServerContext({ worldId, name, onClose }: ServerDialogProps): ReactElement {
  const [filter, setFilter] = useState('');
  return (
    <Dialog title={serverWords.contextTitle(name)} onClose={onClose}>
      <div className="space-y-3">
        <p className="text-sm text-ink-2">{serverWords.contextLead}</p>
        <TextField label={serverWords.filter} value={filter} onChange={(event) => setFilter(event.target.value)} />
        <ContextList worldId={worldId} name={name} filter={filter} />
      </div>
    </Dialog>
  );
}
