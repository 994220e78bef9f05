import { ClientError } from '@countersign/client';
import type { World } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { TextField } from '../form/field.js';
import { shellWords } from '../words/shell.js';

export function NewWorld({ onClose, onMade }: { onClose: () => void; onMade: (world: World) => void }): ReactElement {
  const client = useClient();
  const [name, setName] = useState('');
  const [folder, setFolder] = useState('');
  const [problem, setProblem] = useState<{ field: 'name' | 'workingDirectory'; words: string }>();
  const make = async (): Promise<void> => {
    try {
      const workingDirectory = folder.trim();
      onMade(await client.createWorld({ name: name.trim(), ...(workingDirectory === '' ? {} : { workingDirectory }) }));
    } catch (cause) {
      const words = cause instanceof Error ? cause.message : shellWords.createFailed;
      const isFolder = cause instanceof ClientError && cause.field === 'workingDirectory';
      setProblem({ field: isFolder ? 'workingDirectory' : 'name', words });
    }
  };
  return (
    <Dialog title={shellWords.newWorld} onClose={onClose}>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <TextField
          label={shellWords.name}
          value={name}
          required
          error={problem?.field === 'name' ? problem.words : undefined}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={shellWords.workingFolder}
          mono
          hint={shellWords.folderHint}
          value={folder}
          error={problem?.field === 'workingDirectory' ? problem.words : undefined}
          onChange={(event) => setFolder(event.target.value)}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{shellWords.cancel}</Button>
          <Button look="primary" type="submit" disabled={name.trim() === ''}>
            {shellWords.createWorld}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
