import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setImmediate, setTimeout as after } from 'node:timers/promises';
import type { Clock } from '@countersign/core/ports';
import { keepOutput } from './keep-output.js';
import type { StartedCommand } from './start-command.js';

/** The number of bytes kept per stream; a model never gets more. */
const KEPT_BYTES = 64 * 1024;
/** The number of bytes per stream shown while the command runs: nobody reads more, and every client has to receive them. */
const LIVE_BYTES = 1024 * 1024;
/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 300;
/** A process that we couldn't find may keep a pipe open forever, so stop waiting after this time. */
const DRAIN_MS = 1_000;

interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface CommandRun {
  signal: AbortSignal;
  clock: Clock;
  timeoutMs: number;
  output: (text: string, stream: 'stdout' | 'stderr') => void;
}

export type CommandEnd = { why: 'exited' | 'stopped' | 'timed-out'; result: CommandResult };

/** Waits until a command exits, is stopped or times out. When it resolves, all its processes are dead. */
export async function runCommand(command: StartedCommand, run: CommandRun): Promise<CommandEnd> {
  const stdout = follow(command.stdout, (text) => run.output(text, 'stdout'));
  const stderr = follow(command.stderr, (text) => run.output(text, 'stderr'));
  let why: CommandEnd['why'] = 'exited';
  let cancelGrace: (() => void) | undefined;
  const end = (reason: 'stopped' | 'timed-out') => (): void => {
    if (cancelGrace !== undefined) return;
    why = reason;
    command.terminate();
    cancelGrace = run.clock.after(GRACE_MS, () => void command.sweep());
  };
  const stop = end('stopped');
  const cancelTimeout = run.clock.after(run.timeoutMs, end('timed-out'));
  run.signal.addEventListener('abort', stop);
  if (run.signal.aborted) stop();
  try {
    const exitCode = await command.exited;
    await command.sweep();
    await drained([command.stdout, command.stderr]);
    await Promise.all([stdout.shown(), stderr.shown()]);
    return { why, result: { exitCode, stdout: stdout.text(), stderr: stderr.text() } };
  } finally {
    cancelGrace?.();
    cancelTimeout();
    run.signal.removeEventListener('abort', stop);
    command.stdout.destroy();
    command.stderr.destroy();
  }
}

interface Followed {
  /** The output so far, truncated in the middle. */
  text(): string;
  /** Resolves when all live output has been shown. */
  shown(): Promise<void>;
}

/** The amount of live output shown at a time. Masking this much takes a few milliseconds. */
const LIVE_PIECE = 16 * 1024;

/** Keeps output as it arrives and shows it in pieces, so that a flood of output doesn't block the event loop. */
function follow(stream: Readable, show: (text: string) => void): Followed {
  const keeper = keepOutput(KEPT_BYTES);
  const decoder = new TextDecoder();
  let taken = 0;
  const waiting: string[] = [];
  let showing: Promise<void> | undefined;
  const queue = (text: string): void => {
    for (let at = 0; at < text.length; at += LIVE_PIECE) waiting.push(text.slice(at, at + LIVE_PIECE));
    showing ??= showAll().finally(() => (showing = undefined));
  };
  async function showAll(): Promise<void> {
    for (let piece = waiting.shift(); piece !== undefined; piece = waiting.shift()) {
      show(piece);
      if (waiting.length > 0) await setImmediate();
    }
  }
  stream.on('error', () => undefined);
  stream.on('data', (bytes: Buffer) => {
    keeper.push(bytes);
    if (taken > LIVE_BYTES) return;
    taken += bytes.length;
    queue(decoder.decode(bytes, { stream: true }));
    if (taken > LIVE_BYTES) queue('\n[More output is not shown while the command runs.]\n');
  });
  stream.on('end', () => {
    if (taken <= LIVE_BYTES) queue(decoder.decode());
  });
  return {
    text: () => keeper.text(),
    shown: async () => await showing,
  };
}

async function drained(streams: readonly Readable[]): Promise<void> {
  const over = new AbortController();
  const open = streams.filter((stream) => !stream.closed);
  const closed = Promise.allSettled(open.map((stream) => once(stream, 'close', { signal: over.signal })));
  await Promise.race([closed, pollOften(over.signal)]);
  over.abort();
}

const LOOK_MS = 10;

/** Polls as often as possible within the time limit: on a busy machine, a single timer may fire before anything was read. */
async function pollOften(signal: AbortSignal): Promise<void> {
  for (let looks = 0; looks < DRAIN_MS / LOOK_MS && !signal.aborted; looks += 1) await after(LOOK_MS);
}
