import type { NewMcpServer } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { Button } from '../ui/button.js';
import { Checkbox, Select, TextArea, TextField } from '../ui/field.js';
import { readPairs } from './read-pairs.js';
import { useSaving } from './use-saving.js';
import { t } from '../words/servers.js';

export function ServerForm({ worldId, onDone }: { worldId: string; onDone: () => void }): ReactElement {
  const client = useClient();
  const saving = useSaving();
  const [name, setName] = useState('');
  const [transport, setTransport] = useState<'stdio' | 'http'>('stdio');
  const [command, setCommand] = useState('');
  const [args, setArgs] = useState('');
  const [url, setUrl] = useState('');
  const [secrets, setSecrets] = useState('');
  const [trusted, setTrusted] = useState(false);
  const save = async (): Promise<void> => {
    const read = readPairs(secrets);
    if ('wrong' in read) return saving.refuse(transport === 'stdio' ? 'env' : 'headers', t.notAPair(read.wrong));
    const { pairs } = read;
    const server: NewMcpServer =
      transport === 'stdio'
        ? {
            name,
            transport,
            command,
            args: args.split('\n').filter((each) => each !== ''),
            env: pairs,
            trusted,
          }
        : { name, transport, url, headers: pairs, trusted };
    if (await saving.run(() => client.addMcpServer(worldId, server), t.added(name))) onDone();
  };
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t.name}
          required
          value={name}
          error={saving.errorOf('name')}
          hint={t.nameHint}
          onChange={(event) => setName(event.target.value)}
        />
        <Select
          label={t.transport}
          value={transport}
          options={[
            { value: 'stdio', label: t.stdio },
            { value: 'http', label: t.http },
          ]}
          onChange={(event) => setTransport(event.target.value === 'http' ? 'http' : 'stdio')}
        />
      </div>
      {transport === 'stdio' ? (
        <>
          <TextField
            label={t.command}
            mono
            required
            value={command}
            error={saving.errorOf('command')}
            onChange={(event) => setCommand(event.target.value)}
          />
          <TextArea
            label={t.arguments}
            mono
            rows={3}
            hint={t.onePerLine}
            value={args}
            error={saving.errorOf('args')}
            onChange={(event) => setArgs(event.target.value)}
          />
        </>
      ) : (
        <TextField
          label={t.url}
          mono
          required
          value={url}
          error={saving.errorOf('url')}
          onChange={(event) => setUrl(event.target.value)}
        />
      )}
      <TextArea
        label={transport === 'stdio' ? t.environment : t.headers}
        mono
        rows={2}
        autoComplete="off"
        hint={t.pairsHint}
        value={secrets}
        error={saving.errorOf(transport === 'stdio' ? 'env' : 'headers')}
        onChange={(event) => setSecrets(event.target.value)}
      />
      <Checkbox
        label={t.trustLabel}
        hint={t.trustHint}
        checked={trusted}
        onChange={(event) => setTrusted(event.target.checked)}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>{t.cancel}</Button>
        <Button look="primary" type="submit" disabled={saving.busy}>
          {t.add}
        </Button>
      </div>
    </form>
  );
}
