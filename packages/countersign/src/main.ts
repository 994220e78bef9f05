import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CountersignError } from '@countersign/protocol';
import { DEFAULT_PORT, LOG_LEVELS, runServe, type RunServeOptions } from '@countersign/server';
import { start } from './demo/start.js';
import { linesOf } from './demo/talk.js';

const HELP = `countersign: agents propose, you countersign.

  countersign [serve] [options]   serves this home and opens the browser
  countersign demo                the demo world in a plain terminal

  --port N          the port to listen on; 0 for any free one (PORT, or ${DEFAULT_PORT})
  --host NAME       the address to listen on (127.0.0.1); any other lets other machines in
  --allow-host NAME a further name this server is reached by; may be given again
  --home DIR        where everything is kept (COUNTERSIGN_HOME, or ~/.countersign)
  --no-open         prints the address and opens nothing
  --json            the first line is {"url","token","open"}
  --log-level L     ${LOG_LEVELS.join(', ')} (LOG_LEVEL)
  --version         says which version this is
`;

/** `countersign`, and `npm start`. */
export async function main(words: readonly string[] = process.argv.slice(2)): Promise<void> {
  try {
    process.exitCode = await run(words);
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    process.stderr.write(`countersign: ${error.message}\n`);
    process.exitCode = 1;
  }
}

async function run(words: readonly string[]): Promise<number> {
  const { values, positionals } = readWords(words);
  const [command = 'serve', ...more] = positionals;
  if (values.help === true) return print(HELP);
  if (values.version === true) return print(`${version()}\n`);
  if (more.length > 0) throw wrong(`"${more[0]}" is one word too many`);
  switch (command) {
    case 'serve':
      return await runServe(serveOptions(values));
    case 'demo':
      return await demo();
    default:
      throw wrong(`there is no command "${command}"`);
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function readWords(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      allowNegative: true,
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        'allow-host': { type: 'string', multiple: true },
        home: { type: 'string' },
        open: { type: 'boolean' },
        json: { type: 'boolean' },
        'log-level': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    });
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}

function serveOptions(values: ReturnType<typeof readWords>['values']): RunServeOptions {
  const port = values.port ?? process.env['PORT'];
  const level = values['log-level'] ?? process.env['LOG_LEVEL'];
  const logLevel = LOG_LEVELS.find((known) => known === level);
  if (level !== undefined && level !== '' && logLevel === undefined) throw wrong(`--log-level can't be "${level}"`);
  const webRoot = fileURLToPath(new URL('../../web/dist', import.meta.url));
  return {
    open: values.open ?? true,
    json: values.json ?? false,
    version: version(),
    ...(port === undefined || port === '' ? {} : { port: portOf(port) }),
    ...(values.host === undefined ? {} : { host: values.host }),
    ...(values.home === undefined ? {} : { home: values.home }),
    ...(values['allow-host'] === undefined ? {} : { allowHosts: values['allow-host'] }),
    ...(logLevel === undefined ? {} : { logLevel }),
    ...(existsSync(webRoot) ? { webRoot } : {}),
  };
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw wrong(`the port can't be "${text}"; it is a number up to 65535`);
}

function wrong(why: string): CountersignError {
  return new CountersignError('invalid', `${why}. countersign --help says what there is.`);
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(text) as { version: unknown }).version);
}

async function demo(): Promise<number> {
  // Whoever read us has gone, as after `| head`: nothing is lost, and there is nobody to tell.
  process.stdout.on('error', () => process.exit(0));
  const readline = createInterface({ input: process.stdin, output: process.stdout, terminal: process.stdin.isTTY });
  const lines = linesOf(readline, (text) => process.stdout.write(text), { person: process.stdin.isTTY });
  try {
    await start({ lines, env: process.env });
  } finally {
    readline.close();
  }
  return 0;
}
