import type { World } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';

export function NewWorld({ onClose, onMade }: { onClose: () => void; onMade: (world: World) => void }): ReactElement {
  const client = useClient();
  const [name, setName] = useState('');
  const [folder, setFolder] = useState('');
  const [error, setError] = useState<string>();
  const make = async (): Promise<void> => {
    try {
      const workingDirectory = folder.trim();
      onMade(await client.createWorld({ name: name.trim(), ...(workingDirectory === '' ? {} : { workingDirectory }) }));
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : 'The world could not be made.');
    }
  };
  return (
    <Dialog title="New world" onClose={onClose}>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <TextField label="Name" value={name} required error={error} onChange={(event) => setName(event.target.value)} />
        <TextField
          label="Working folder"
          mono
          hint="Where its agents read and write. It can be set later."
          value={folder}
          onChange={(event) => setFolder(event.target.value)}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" disabled={name.trim() === ''}>
            Make world
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
