import type { ImportedWorld } from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { useClient } from '../data/connection.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { TextArea } from '../ui/field.js';
import { Visible } from '../ui/visible.js';
import { paths } from './paths.js';

/** A file that is longer holds no world of ours. */
const LONGEST = 8_000_000;

/** Makes a world from a file. What in it would give power is only proposed, and said here. */
export default function ImportWorld({ onClose }: { onClose: () => void }): ReactElement {
  const client = useClient();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [made, setMade] = useState<ImportedWorld>();
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    if (file.size > LONGEST) {
      setError('This file is too long to be a world.');
      return;
    }
    setError(undefined);
    setText(await file.text());
  };
  const bring = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      setMade(await client.importWorld(text));
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : 'The world could not be imported.');
    }
    setBusy(false);
  };
  if (made !== undefined) {
    // Not before it was read: without a world the page behind this would go, and this with it.
    const leave = (to?: string): void => {
      void queries.invalidateQueries({ queryKey: ['worlds'] });
      onClose();
      if (to !== undefined) navigate(to);
    };
    return (
      <Dialog title="Imported" onClose={() => leave()}>
        <Imported world={made} />
        <div className="mt-4 flex justify-end gap-2">
          {made.proposed.length === 0 ? null : (
            <Button onClick={() => leave(paths.page(made.id, 'policy'))}>Look at its rules</Button>
          )}
          <Button look="primary" onClick={() => leave(paths.world(made.id))}>
            Open world
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Import world" onClose={onClose}>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          void bring();
        }}
      >
        <p className="text-sm text-ink-2">
          A world as it was exported: agents, rules and servers in one YAML file. It does nothing by itself: servers are
          off, and rules that allow something are only proposed.
        </p>
        <label className="block text-sm font-medium">
          File
          <input
            type="file"
            accept=".yaml,.yml,application/yaml,text/yaml"
            onChange={(event) => void take(event.target.files?.[0])}
            className="mt-1 block w-full text-sm font-normal text-ink-2 file:mr-3 file:min-h-9 file:rounded-md file:border file:border-line-2 file:bg-surface file:px-3.5 file:text-sm file:font-medium file:text-ink"
          />
        </label>
        <TextArea
          label="Or its text"
          mono
          rows={10}
          value={text}
          error={error}
          onChange={(event) => {
            setText(event.target.value);
            setError(undefined);
          }}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" disabled={busy || text.trim() === ''}>
            Import
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Imported({ world }: { world: ImportedWorld }): ReactElement {
  return (
    <div className="space-y-3 text-sm">
      <p>
        <bdi className="font-semibold">
          <Visible text={world.name} />
        </bdi>{' '}
        is here.{' '}
        {world.proposed.length === 0
          ? 'It proposed no rule that would allow something.'
          : world.proposed.length === 1
            ? 'One rule that would allow something waits under Policy until you take it over.'
            : `${world.proposed.length} rules that would allow something wait under Policy until you take them over.`}
      </p>
      {world.notes.length === 0 ? null : (
        <ul className="list-disc space-y-1 pl-5 text-ink-2">
          {world.notes.map((note) => (
            <li key={note} className="[overflow-wrap:anywhere]">
              <Visible text={note} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
