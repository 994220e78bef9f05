import { liftSecrets, splitCommand } from '@countersign/client';
import type { McpNetwork, McpServer, McpServerChange, NewMcpServer } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { useClient } from '../data/connection.js';
import { Form } from '../form/form.js';
import { useFields } from '../form/use-fields.js';
import { useSaving } from '../form/use-saving.js';
import { Checkbox, Select, TextArea, TextField } from '../form/field.js';
import { SecretFields } from './secret-fields.js';
import { newValues, readLines, readRows, savedRows, type SecretRow } from './secret-rows.js';
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
  const { values, set, text, checkbox } = useFields(saving, () => ({
    name: before?.name ?? '',
    transport: before?.transport ?? 'stdio',
    command: before?.command ?? '',
    args: (before?.args ?? []).join('\n'),
    url: before?.url ?? '',
    env: savedRows(before?.env ?? []) as readonly SecretRow[],
    headers: savedRows(before?.headers ?? []) as readonly SecretRow[],
    network: choiceOf(before?.network),
    hosts: hostsOf(before?.network).join('\n'),
    folders: (before?.folders ?? []).join('\n'),
    trusted: before?.trusted ?? false,
  }));
  const { name, transport, command, url, network, trusted } = values;
  const [args, hosts, folders] = [values.args, values.hosts, values.folders].map(readLines) as [
    string[],
    string[],
    string[],
  ];
  const isProgram = transport === 'stdio';
  const field = isProgram ? 'env' : 'headers';
  const [inArguments] = liftSecrets({ transport: 'stdio', command, args, env: {} }).names;
  const [inUrl] = liftSecrets({ transport: 'http', url, headers: {} }).names;
  const split = splitCommand(command);
  const program = split.ok ? split.command : command;
  const allArgs = split.ok ? [...split.args, ...args] : args;
  const showSplit = (): void =>
    set((now) => ({
      command: program,
      args: split.ok && split.args.length > 0 ? allArgs.join('\n') : now.args,
    }));
  const connection = (values: Record<string, string | null>): McpServerChange =>
    isProgram
      ? {
          command: program,
          args: allArgs,
          env: values,
          network: networkOf(network, hosts),
          folders,
        }
      : { url, headers: values };
  const save = async (): Promise<void> => {
    if (isProgram && !split.ok)
      return saving.refuse(
        'command',
        split.why === 'shell' ? serverWords.needsShell(split.syntax) : serverWords.openQuote,
      );
    if (isProgram) showSplit();
    if (isProgram && network === 'hosts' && hosts.length === 0) return saving.refuse('network', serverWords.noHosts);
    const read = readRows(values[field]);
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
    <Form
      saving={saving}
      submit={edited === undefined ? serverWords.add : serverWords.save}
      onCancel={onDone}
      onSubmit={save}
    >
      {edited === undefined ? (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label={serverWords.name} required hint={serverWords.nameHint} {...text('name')} />
          <Select
            label={serverWords.transport}
            value={transport}
            options={[
              { value: 'stdio', label: serverWords.stdio },
              { value: 'http', label: serverWords.http },
            ]}
            onChange={(event) => set({ transport: event.target.value === 'http' ? 'http' : 'stdio' })}
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
            hint={serverWords.commandHint}
            {...text('command')}
            onBlur={showSplit}
          />
          <TextArea
            label={serverWords.arguments}
            mono
            rows={3}
            hint={inArguments === undefined ? serverWords.argumentsHint : serverWords.secretInArguments(inArguments)}
            {...text('args')}
          />
          <SecretFields
            label={serverWords.environment}
            nameLabel={serverWords.variable}
            addLabel={serverWords.addVariable}
            rows={values.env}
            error={saving.errorOf('env')}
            onChange={(env) => set({ env })}
          />
          <Select
            label={serverWords.networkLabel}
            hint={serverWords.networkHint}
            value={network}
            options={NETWORK_CHOICES.map((choice) => ({ value: choice, label: serverWords.networkChoices[choice] }))}
            onChange={(event) =>
              set({ network: NETWORK_CHOICES.find((choice) => choice === event.target.value) ?? 'none' })
            }
          />
          {network === 'hosts' ? (
            <TextArea
              label={serverWords.hosts}
              mono
              rows={2}
              hint={serverWords.hostsHint}
              {...text('hosts', 'network')}
            />
          ) : null}
          <TextArea label={serverWords.folders} mono rows={2} hint={serverWords.foldersHint} {...text('folders')} />
        </>
      ) : (
        <>
          <TextField
            label={serverWords.url}
            mono
            required
            placeholder={serverWords.urlExample}
            hint={inUrl === undefined ? serverWords.urlHint : serverWords.secretInUrl(inUrl)}
            {...text('url')}
          />
          <SecretFields
            label={serverWords.headers}
            nameLabel={serverWords.header}
            addLabel={serverWords.addHeader}
            rows={values.headers}
            error={saving.errorOf('headers')}
            onChange={(headers) => set({ headers })}
          />
        </>
      )}
      <Checkbox label={serverWords.trustLabel} hint={serverWords.trustHint} {...checkbox('trusted')} />
    </Form>
  );
}
