import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { systemClock } from '@countersign/core/ports';
import { removeTree } from '@countersign/changes';
import type { EndedRun, StartedRun } from '@countersign/protocol';
import { openAgentHome } from '../run/home/open-agent-home.js';
import { supervise, type RunSignal, type Supervised } from '../run/supervise.js';
import { findPrivateInSystem } from '../run/system-view.js';
import type { Sandbox } from '../sandbox/sandbox.js';

export interface TriedRun extends EndedRun {
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunPlace {
  readonly started: StartedRun;
  remove(): Promise<void>;
}

/** Makes the folder of a run, as the server does. */
export async function makeRun(
  sandbox: Extract<Sandbox, { kind: 'bubblewrap' }>,
  folder: string,
  hidden: readonly string[] = [],
): Promise<RunPlace> {
  const root = await realpath(await mkdtemp(join(sandbox.drafting.folder, 'run-test-')));
  for (const name of ['upper', 'work', 'lower', 'merged', 'home']) await mkdir(join(root, name), { mode: 0o700 });
  const about = { id: 'r', world: 'w', folder, root, hosts: [], closedHosts: [], home: join(root, 'kept') };
  return { started: { ...about, hidden: [...hidden], sandbox }, remove: () => removeTree(root) };
}

let privateInSystem: Promise<string[]> | undefined;

/** Runs a program with pipes, and collects what it says. All runs of a worker share the search for private files of the system. */
export async function tryRun(
  { started }: RunPlace,
  words: readonly string[],
  more: Partial<Supervised> & RunLooks = {},
): Promise<TriedRun> {
  const { input, signals, said, ...options } = more;
  const out = collect(said);
  const err = collect();
  const stdin = input === undefined ? undefined : Readable.from([input]);
  const personal = process.env['HOME'] ?? '/';
  const home = await openAgentHome({ root: started.root, kept: started.home, home: personal });
  privateInSystem ??= findPrivateInSystem();
  const ended = await supervise({
    home,
    privateInSystem,
    ...{ started, words, clock: systemClock, environment: process.env },
    io: { kind: 'pipes', stdin, stdout: out.stream, stderr: err.stream },
    onSignal: signals?.listen ?? (() => () => undefined),
    ...options,
  });
  return { ...ended, stdout: out.text(), stderr: err.text() };
}

interface RunLooks {
  readonly input?: string;
  readonly signals?: Signals;
  /** Called with all that the program has written to standard output, whenever it has written more. */
  readonly said?: (text: string) => void;
}

export interface Signals {
  send(signal: RunSignal): void;
  readonly listen: Supervised['onSignal'];
}

export function makeSignals(): Signals {
  const heard = new Set<(signal: RunSignal) => void>();
  return {
    send: (signal) => heard.forEach((one) => one(signal)),
    listen(one) {
      heard.add(one);
      return () => void heard.delete(one);
    },
  };
}

function collect(said: (text: string) => void = () => undefined): { stream: Writable; text(): string } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      said(text);
      done();
    },
  });
  return { stream, text: () => text };
}
