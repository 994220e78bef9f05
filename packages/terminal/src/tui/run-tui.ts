import { readerId } from '@countersign/client';
import { callsForYou, openAlerts } from '../alerts/alerts.js';
import { editInEditor } from '../card/edit-call-text.js';
import { CommandError } from '../command-error.js';
import { wantsColour } from '../console.js';
import type { CommandContext } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { findChat, findWorld } from '../find-things.js';
import { hasEditor } from '../input/edit-text.js';
import { retrySoon } from '../connection/retry-soon.js';
import { createController } from './controller.js';
import { readStdin } from './keys/read-stdin.js';
import { openScreen } from './screen.js';
import { errors } from '../words/errors.js';

const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

/** `countersign tui`. Resolves when the person leaves or on a signal; always restores the terminal. */
export async function runTui(
  context: CommandContext,
  options: { world?: string; chat?: string; alerts?: boolean },
): Promise<ExitCode> {
  const { stdin, stdout, stderr, env } = context.console;
  if (!context.isPerson || env['TERM'] === 'dumb') {
    throw new CommandError(errors.needsTerminal);
  }
  const client = await context.client('resume');
  context.leave();
  const { id: worldId } = await findWorld(client, options.world);
  const newest = await client.chats(worldId, { newest: true, limit: 1 });
  const chatId =
    options.chat === undefined ? newest.items.at(-1)?.id : (await findChat(client, worldId, options.chat)).id;
  await client.registerClient(worldId, { label: 'terminal', approvals: true });
  const me = await readerId(client);

  const ending = openEnding();
  const undo: (() => void)[] = [];
  try {
    undo.push(keepQuiet(stderr));
    const alerts = options.alerts === false ? undefined : openAlerts(context.console);
    undo.push(() => alerts?.close());
    const screen = openScreen(stdout, {
      picture: () => controller.frame(),
      hasColour: wantsColour(stdout, env),
    });
    const restore = (): void => screen.close();
    process.on('exit', restore);
    undo.push(() => {
      process.off('exit', restore);
      restore();
    });
    function read(): () => void {
      return readStdin(stdin, { press: (key) => controller.press(key), end: () => ending.resolve(EXIT.ok) });
    }
    /** Hands the terminal over to an editor. */
    async function lend<T>(work: () => Promise<T>): Promise<T> {
      stopReading();
      screen.pause();
      try {
        return await work();
      } finally {
        screen.resume();
        stopReading = read();
      }
    }
    const controller = createController({
      client,
      worldId,
      chatId,
      me,
      now: () => Date.now(),
      size: () => screen.size(),
      onChange: () => screen.redraw(),
      onWaiting: (world) => alerts?.show(callsForYou(world)),
      onLeave: () => ending.resolve(EXIT.ok),
      edit: hasEditor(env) ? (call) => lend(() => editInEditor(context, call)) : undefined,
    });
    undo.push(() => controller.close());
    undo.push(retrySoon(context, controller));
    screen.onResize(() => controller.refresh());
    let stopReading = read();
    undo.push(() => stopReading());
    undo.push(watchForTheEnd(ending));
    screen.redraw();
    return await ending.promise;
  } finally {
    for (const step of undo.toReversed()) step();
  }
}

interface Ending {
  readonly promise: Promise<ExitCode>;
  readonly resolve: (code: ExitCode) => void;
  readonly reject: (error: unknown) => void;
}

function openEnding(): Ending {
  let resolve: Ending['resolve'] = () => undefined;
  let reject: Ending['reject'] = () => undefined;
  const promise = new Promise<ExitCode>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // The caller handles the rejection; this prevents it from being reported as unhandled.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** Handles signals, uncaught errors and a closed terminal: the shell must get its echo and cursor back. */
function watchForTheEnd(ending: Ending): () => void {
  const interrupted = (): void => ending.resolve(EXIT.interrupted);
  const failed = (error: unknown): void => ending.reject(error instanceof Error ? error : new Error(String(error)));
  for (const signal of SIGNALS) process.on(signal, interrupted);
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);
  return () => {
    for (const signal of SIGNALS) process.off(signal, interrupted);
    process.off('uncaughtException', failed);
    process.off('unhandledRejection', failed);
  };
}

/** Buffers the log of our own server, which would paint over the screen, and prints it afterwards. */
function keepQuiet(stderr: NodeJS.WriteStream): () => void {
  const kept: string[] = [];
  const write = stderr.write.bind(stderr);
  stderr.write = (chunk: Uint8Array | string): boolean => {
    kept.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    if (kept.length > 200) kept.shift();
    return true;
  };
  return () => {
    stderr.write = write;
    for (const text of kept) stderr.write(text);
  };
}
