import { liftSecrets, splitCommand } from '@countersign/client';
import type { McpNetwork, McpServer, McpServerChange, NewMcpServer } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useSaving } from '../form/use-saving.js';
import { Button } from '../ui/button.js';
import { Checkbox, Select, TextArea, TextField } from '../form/field.js';
import { SecretFields } from './secret-fields.js';
import { newValues, readLines, readRows, savedRows } from './secret-rows.js';
import { serverWords } from '../words/servers.js';

const NETWORK_CHOICES = ['none', 'hosts', 'public'] as const;
type NetworkChoice = (typeof NETWORK_CHOICES)[number];

function choiceOf(network: McpNetwork = false): NetworkChoice {
  if (typeof network === 'object') return 'hosts';
  return network ? 'public' : 'none';
}

function hostsOf(network: McpNetwork = false): readonly string[] {
  return typeof network === 'object' ? network.hosts : [];
}

function networkOf(choice: NetworkChoice, hosts: readonly string[]): McpNetwork {
  return choice === 'hosts' ? { hosts: hosts.map((host) => host.trim()) } : choice === 'public';
}

/** Adds a server, or edits the version that was loaded when the form was opened. */
export function ServerForm({
  worldId,
  edited,
  onDone,
}: {
  worldId: string;
  edited?: { server: McpServer; etag: string | undefined };
  onDone: () => void;
}): ReactElement {
  const client = useClient();
  const saving = useSaving();
  const before = edited?.server;
  const [name, setName] = useState(before?.name ?? '');
  const [transport, setTransport] = useState<'stdio' | 'http'>(before?.transport ?? 'stdio');
  const [command, setCommand] = useState(before?.command ?? '');
  const [args, setArgs] = useState((before?.args ?? []).join('\n'));
  const [url, setUrl] = useState(before?.url ?? '');
  const [env, setEnv] = useState<ReturnType<typeof savedRows>>(() => savedRows(before?.env ?? []));
  const [headers, setHeaders] = useState<ReturnType<typeof savedRows>>(() => savedRows(before?.headers ?? []));
  const [network, setNetwork] = useState<NetworkChoice>(() => choiceOf(before?.network));
  const [hosts, setHosts] = useState(() => hostsOf(before?.network).join('\n'));
  const [folders, setFolders] = useState((before?.folders ?? []).join('\n'));
  const [trusted, setTrusted] = useState(before?.trusted ?? false);
  const isProgram = transport === 'stdio';
  const field = isProgram ? 'env' : 'headers';
  const [inArguments] = liftSecrets({ transport: 'stdio', command, args: readLines(args), env: {} }).names;
  const [inUrl] = liftSecrets({ transport: 'http', url, headers: {} }).names;
  const split = splitCommand(command);
  const program = split.ok ? split.command : command;
  const allArgs = split.ok ? [...split.args, ...readLines(args)] : readLines(args);
  const showSplit = (): void => {
    setCommand(program);
    setArgs((now) => (split.ok && split.args.length > 0 ? allArgs.join('\n') : now));
  };
  const connection = (values: Record<string, string | null>): McpServerChange =>
    isProgram
      ? {
          command: program,
          args: allArgs,
          env: values,
          network: networkOf(network, readLines(hosts)),
          folders: readLines(folders),
        }
      : { url, headers: values };
  const save = async (): Promise<void> => {
    if (isProgram && !split.ok)
      return saving.refuse(
        'command',
        split.why === 'shell' ? serverWords.needsShell(split.syntax) : serverWords.openQuote,
      );
    if (isProgram) showSplit();
    if (isProgram && network === 'hosts' && readLines(hosts).length === 0)
      return saving.refuse('network', serverWords.noHosts);
    const read = readRows(isProgram ? env : headers);
    if (!read.ok)
      return saving.refuse(field, read.why === 'no-name' ? serverWords.noName : serverWords.duplicateName(read.name));
    const done =
      edited === undefined
        ? await saving.run(
            () =>
              client.addMcpServer(worldId, {
                name,
                transport,
                trusted,
                ...connection(newValues(read.values)),
              } as NewMcpServer),
            serverWords.added(name),
          )
        : await saving.run(
            () =>
              client.updateMcpServer(
                worldId,
                name,
                { ...connection(read.values), trusted },
                edited.etag === undefined ? {} : { ifMatch: edited.etag },
              ),
            serverWords.updated(name),
          );
    if (done) onDone();
  };
  return (
    <form
      ref={saving.form}
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {edited === undefined ? (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={serverWords.name}
            required
            value={name}
            error={saving.errorOf('name')}
            hint={serverWords.nameHint}
            onChange={(event) => setName(event.target.value)}
          />
          <Select
            label={serverWords.transport}
            value={transport}
            options={[
              { value: 'stdio', label: serverWords.stdio },
              { value: 'http', label: serverWords.http },
            ]}
            onChange={(event) => setTransport(event.target.value === 'http' ? 'http' : 'stdio')}
          />
        </div>
      ) : null}
      {isProgram ? (
        <>
          <TextField
            label={serverWords.command}
            mono
            required
            placeholder={serverWords.commandExample}
            value={command}
            hint={serverWords.commandHint}
            error={saving.errorOf('command')}
            onChange={(event) => setCommand(event.target.value)}
            onBlur={showSplit}
          />
          <TextArea
            label={serverWords.arguments}
            mono
            rows={3}
            hint={inArguments === undefined ? serverWords.argumentsHint : serverWords.secretInArguments(inArguments)}
            value={args}
            error={saving.errorOf('args')}
            onChange={(event) => setArgs(event.target.value)}
          />
          <SecretFields
            label={serverWords.environment}
            nameLabel={serverWords.variable}
            addLabel={serverWords.addVariable}
            rows={env}
            error={saving.errorOf('env')}
            onChange={(rows) => setEnv([...rows])}
          />
          <Select
            label={serverWords.networkLabel}
            hint={serverWords.networkHint}
            value={network}
            options={NETWORK_CHOICES.map((choice) => ({ value: choice, label: serverWords.networkChoices[choice] }))}
            onChange={(event) => setNetwork(NETWORK_CHOICES.find((choice) => choice === event.target.value) ?? 'none')}
          />
          {network === 'hosts' ? (
            <TextArea
              label={serverWords.hosts}
              mono
              rows={2}
              hint={serverWords.hostsHint}
              value={hosts}
              error={saving.errorOf('network')}
              onChange={(event) => setHosts(event.target.value)}
            />
          ) : null}
          <TextArea
            label={serverWords.folders}
            mono
            rows={2}
            hint={serverWords.foldersHint}
            value={folders}
            error={saving.errorOf('folders')}
            onChange={(event) => setFolders(event.target.value)}
          />
        </>
      ) : (
        <>
          <TextField
            label={serverWords.url}
            mono
            required
            placeholder={serverWords.urlExample}
            hint={inUrl === undefined ? serverWords.urlHint : serverWords.secretInUrl(inUrl)}
            value={url}
            error={saving.errorOf('url')}
            onChange={(event) => setUrl(event.target.value)}
          />
          <SecretFields
            label={serverWords.headers}
            nameLabel={serverWords.header}
            addLabel={serverWords.addHeader}
            rows={headers}
            error={saving.errorOf('headers')}
            onChange={(rows) => setHeaders([...rows])}
          />
        </>
      )}
      <Checkbox
        label={serverWords.trustLabel}
        hint={serverWords.trustHint}
        checked={trusted}
        onChange={(event) => setTrusted(event.target.checked)}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>{serverWords.cancel}</Button>
        <Button look="primary" type="submit" disabled={saving.busy}>
          {edited === undefined ? serverWords.add : serverWords.save}
        </Button>
      </div>
    </form>
  );
}
