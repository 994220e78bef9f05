import { createInterface } from 'node:readline';
import { systemClock } from '@countersign/core';
import { CountersignError } from '@countersign/protocol';
import { homeFolder } from '../home/home-folder.js';
import { SERVE } from '../home/home-owner.js';
import { createLog, type LogLevel } from './create-log.js';
import { greeting } from './greeting.js';
import { hasDisplay, openBrowser } from './open-browser.js';
import type { TlsOptions } from './listen-tls.js';
import type { LocalAgents } from '../local-agents/local-agents.js';
import { serve, type Serving } from './serve.js';

export interface RunServeOptions {
  port?: number;
  host?: string;
  allowHosts?: readonly string[];
  tls?: TlsOptions;
  home?: string;
  /** If false, print the start link without opening it. */
  open: boolean;
  /** Print only one line of JSON on standard output: `{"url","token","open"}`. A token from the environment is omitted. */
  json: boolean;
  logLevel?: LogLevel;
  webRoot?: string;
  localAgents?: LocalAgents;
  version: string;
}

/** Container runtimes send SIGKILL after 10 s. Turns that are not parked by then count as interrupted. */
const SHUTDOWN_MS = 9_000;
// Not SIGHUP: a handler would override nohup.
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** `countersign serve`: runs until a signal. Resolves to the exit code; errors are one line on standard error. */
export async function runServe(options: RunServeOptions): Promise<number> {
  const { open, json, home = homeFolder(process.env), logLevel, ...rest } = options;
  const secrets = ['COUNTERSIGN_TOKEN', 'COUNTERSIGN_OIDC_CLIENT_SECRET']
    .map((name) => process.env[name] ?? '')
    .filter((secret) => secret !== '');
  const log = createLog({
    level: logLevel ?? (process.stderr.isTTY ? 'warn' : 'info'),
    isTerminal: process.stderr.isTTY,
    write: (line) => process.stderr.write(line),
    now: () => systemClock.now(),
    secrets,
  });
  // Must be first, so that no early signal is missed.
  const signalled = nextSignal();
  let serving: Serving;
  try {
    // At a terminal, the greeting already says that there is no sandbox.
    const logsNoSandbox = json || !process.stderr.isTTY;
    serving = await serve({ ...rest, home, log, logsNoSandbox, env: process.env, command: SERVE });
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    process.stderr.write(`countersign: ${error.message}\n`);
    return 1;
  }
  const { token } = serving.home;
  secrets.push(token.value);
  // The reader may close the pipe, as in `| head`. Keep serving.
  process.stdout.on('error', () => undefined);
  const start = serving.newStartUrl();
  if (json) {
    const shown = token.source.kind === 'environment' ? {} : { token: token.value };
    say({ url: serving.url, ...shown, open: start });
  } else {
    const lines = greeting({ ...serving.home, url: serving.publicUrl, start, isTerminal: process.stdout.isTTY });
    process.stdout.write(`${lines.join('\n')}\n`);
    if (open && hasDisplay(process.env)) openBrowser(start, home);
  }
  const stopAsking = json ? () => undefined : offerNewStartUrl(serving);
  await signalled;
  stopAsking();
  setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
  await serving.close();
  return 0;
}

function say(facts: Record<string, string>): void {
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}

/** A start link expires after a minute; print a new one without a restart. */
function offerNewStartUrl(serving: Serving): () => void {
  if (!process.stdin.isTTY) return () => undefined;
  const lines = createInterface({ input: process.stdin });
  lines.on('line', () => process.stdout.write(`Open ${serving.newStartUrl()}\n`));
  process.stdout.write('Press Enter for a new start link, Ctrl+C to stop.\n');
  return () => lines.close();
}

/** Resolves at the first signal; the second one ends the process immediately. */
async function nextSignal(): Promise<void> {
  await new Promise<void>((resolve) => {
    let isEnding = false;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (isEnding) process.exit(130);
        isEnding = true;
        resolve();
      });
    }
  });
}
