import {
  addMcpServers,
  fillMcpServer,
  MCP_FILE_BYTES,
  readMcpFile,
  type McpFileInput,
  type McpFileServer,
} from '@countersign/client';
import { packageHosts, packageRunner } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { errorText } from '../data/error-text.js';
import { Form } from '../form/form.js';
import { ErrorLine } from '../text/error-line.js';
import { Dialog } from '../ui/dialog.js';
import { Checkbox, Select, TextField } from '../form/field.js';
import { FileForm } from '../form/file-form.js';
import { say } from '../notices/toast.js';
import { Visible } from '../text/visible.js';
import { serverWords } from '../words/servers.js';

/** What an import file has. */
interface ImportFile {
  servers: readonly McpFileServer[];
  notes: readonly string[];
}

/** Adds the servers from a Claude, Cursor or VS Code file, disabled. The person first picks the file, then what to import from it. */
export function ImportServers({
  worldId,
  taken,
  onClose,
}: {
  worldId: string;
  taken: readonly string[];
  onClose: () => void;
}): ReactElement {
  const [found, setFound] = useState<ImportFile>();
  return (
    <Dialog title={serverWords.importTitle} onClose={onClose}>
      {found === undefined ? (
        <ChooseFile onFound={setFound} onCancel={onClose} />
      ) : (
        <ChooseServers worldId={worldId} found={found} taken={taken} onDone={onClose} />
      )}
    </Dialog>
  );
}

function ChooseFile({
  onFound,
  onCancel,
}: {
  onFound: (found: ImportFile) => void;
  onCancel: () => void;
}): ReactElement {
  const read = async (text: string): Promise<string | undefined> => {
    const file = readMcpFile(text);
    if (!file.ok) return file.problem;
    onFound(file);
    return undefined;
  };
  return (
    <FileForm
      words={{
        lead: serverWords.importLead,
        file: serverWords.file,
        paste: serverWords.orPaste,
        tooLarge: serverWords.fileTooLarge,
        submit: serverWords.next,
      }}
      accept=".json,application/json"
      largestBytes={MCP_FILE_BYTES}
      onSubmit={read}
      onCancel={onCancel}
    />
  );
}

function ChooseServers({
  worldId,
  found,
  taken,
  onDone,
}: {
  worldId: string;
  found: ImportFile;
  taken: readonly string[];
  onDone: () => void;
}): ReactElement {
  const client = useClient();
  const free = found.servers.filter(({ name }) => !taken.includes(name));
  const [chosen, setChosen] = useState<readonly string[]>(free.map(({ name }) => name));
  const [values, setValues] = useState<ReadonlyMap<string, string>>(() => defaultsOf(free));
  /** The servers that may reach the hosts where their packages come from. */
  const [allowed, setAllowed] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string>();
  const [isTried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const picked = free.filter(({ name }) => chosen.includes(name));
  const inputs = inputsOf(picked);
  const isMissing = ({ placeholder }: McpFileInput): boolean => (values.get(placeholder) ?? '') === '';
  const add = async (): Promise<void> => {
    setTried(true);
    setProblem(undefined);
    if (inputs.some(isMissing)) return;
    setBusy(true);
    const work = async (): Promise<void> => {
      // Convert all of them first: an invalid one must not leave the others half imported.
      const definitions = picked.map((server) =>
        fillMcpServer(server, values, allowed.includes(server.name) ? (downloadsOf(server)?.hosts ?? []) : []),
      );
      const result = await addMcpServers(definitions, (definition) => client.addMcpServer(worldId, definition));
      if (result.ok) {
        say(serverWords.importedServers(picked.length), 'green');
        return onDone();
      }
      const added = result.added.map(({ name }) => name);
      setProblem(
        added.length === 0
          ? errorText(result.error)
          : serverWords.importStopped(result.failed, errorText(result.error), added),
      );
      setChosen(chosen.filter((name) => !added.includes(name)));
    };
    await work().catch((error: unknown) => setProblem(errorText(error)));
    setBusy(false);
  };
  return (
    <Form submit={serverWords.import} onCancel={onDone} disabled={busy || picked.length === 0} onSubmit={add}>
      <p className="text-sm text-ink-2">{serverWords.importedOff}</p>
      <ul className="space-y-2">
        {found.servers.map((server) => {
          const { name, connection } = server;
          const isTaken = taken.includes(name);
          const downloads = downloadsOf(server);
          const runs =
            connection.transport === 'http' ? connection.url : [connection.command, ...connection.args].join(' ');
          return (
            <li key={name}>
              <Checkbox
                label={name}
                hint={
                  <>
                    <span className="block font-mono [overflow-wrap:anywhere]">
                      <Visible text={runs} strict />
                    </span>
                    {isTaken ? serverWords.alreadyExists : null}
                  </>
                }
                disabled={isTaken}
                checked={chosen.includes(name)}
                onChange={(event) => setChosen(toggled(chosen, name, event.target.checked))}
              />
              {downloads === undefined || !chosen.includes(name) ? null : (
                <div className="mt-1 pl-6">
                  <Checkbox
                    label={serverWords.importHosts(downloads.runner, downloads.hosts)}
                    checked={allowed.includes(name)}
                    onChange={(event) => setAllowed(toggled(allowed, name, event.target.checked))}
                  />
                </div>
              )}
            </li>
          );
        })}
      </ul>
      {found.notes.length === 0 ? null : (
        <ul className="list-disc space-y-1 pl-5 text-sm text-ink-2">
          {found.notes.map((note) => (
            <li key={note} className="[overflow-wrap:anywhere]">
              <Visible text={note} />
            </li>
          ))}
        </ul>
      )}
      {inputs.map((input) => (
        <InputField
          key={input.placeholder}
          input={input}
          value={values.get(input.placeholder) ?? ''}
          error={isTried && isMissing(input) ? serverWords.valueMissing : undefined}
          onChange={(value) => setValues(new Map([...values, [input.placeholder, value]]))}
        />
      ))}
      <ErrorLine text={problem} />
    </Form>
  );
}

function toggled(names: readonly string[], name: string, isOn: boolean): readonly string[] {
  return isOn ? [...names, name] : names.filter((other) => other !== name);
}

/** The program that downloads the server's package, and where from. */
function downloadsOf({ connection }: McpFileServer): { runner: string; hosts: readonly string[] } | undefined {
  if (connection.transport === 'http') return undefined;
  const runner = packageRunner(connection.command, connection.args);
  return runner === undefined ? undefined : { runner, hosts: packageHosts(runner) };
}

/** A value that the file leaves open. */
function InputField({
  input,
  value,
  error,
  onChange,
}: {
  input: McpFileInput;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}): ReactElement {
  const { placeholder, label, isSecret, choices } = input;
  const shared = {
    label,
    hint: serverWords.placeholderHint(<Visible text={placeholder} />),
    error,
    value,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  if (choices !== undefined) {
    const options = [{ value: '', label: '' }, ...choices.map((choice) => ({ value: choice, label: choice }))];
    return <Select {...shared} options={options} />;
  }
  const [type, autoComplete] = isSecret ? ['password', 'new-password'] : ['text', 'off'];
  return <TextField {...shared} mono type={type} autoComplete={autoComplete} />;
}

function inputsOf(servers: readonly McpFileServer[]): McpFileInput[] {
  return [...new Map(servers.flatMap(({ inputs }) => inputs).map((input) => [input.placeholder, input])).values()];
}

function defaultsOf(servers: readonly McpFileServer[]): Map<string, string> {
  return new Map(inputsOf(servers).map(({ placeholder, default: usual = '' }) => [placeholder, usual]));
}
