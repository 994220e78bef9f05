import type { Command } from 'commander';
import { CommandError } from '../command-error.js';
import type { ServeWords } from '../server-door.js';
import { suggestion } from '../text/suggest.js';
import type { Register } from './register.js';

const LOG_LEVELS = ['error', 'warn', 'info', 'silent'];

interface ServeFlags {
  port?: string;
  host?: string;
  allowHost?: string[];
  open: boolean;
  logLevel?: string;
}

/** `countersign serve`, and `countersign` alone (X1). */
export function addServe(program: Command, register: Register): void {
  const command = program
    .command('serve', { isDefault: true })
    .summary('serve this home and open the browser; also without a command')
    .description('Start the server and open the browser.')
    .option('--port <n>', 'the port to listen on; 0 for any free one (PORT, or 4747)')
    .option('--host <name>', 'the address to listen on (default 127.0.0.1); others let other machines connect')
    .option('--allow-host <name>', 'another host name of this server; repeatable', again)
    .option('--no-open', 'print the address and open nothing')
    .option('--log-level <level>', `${LOG_LEVELS.join(', ')} (LOG_LEVEL)`)
    .addHelpText(
      'after',
      '\nWith --json the first line on standard output is {"url","token","open"}, without the token if it came from COUNTERSIGN_TOKEN.',
    )
    .addHelpText('after', '\nExample:\n  countersign serve --port 0 --no-open');
  register<ServeFlags>(command, async ({ door, console: { env }, options: { home, json } }, { options }) => {
    const port = options.port ?? nonEmpty(env['PORT']);
    const logLevel = options.logLevel ?? nonEmpty(env['LOG_LEVEL']);
    if (logLevel !== undefined && !LOG_LEVELS.includes(logLevel)) {
      throw new CommandError(`--log-level can't be "${logLevel}". ${suggestion(logLevel, LOG_LEVELS)}`);
    }
    const words: ServeWords = {
      open: options.open,
      json,
      ...(port === undefined ? {} : { port: readPort(port) }),
      ...(options.host === undefined ? {} : { host: options.host }),
      ...(options.allowHost === undefined ? {} : { allowHosts: options.allowHost }),
      ...(home === undefined ? {} : { home }),
      ...(logLevel === undefined ? {} : { logLevel }),
    };
    return await door.serve(words);
  });
}

export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new CommandError(`the port can't be "${text}"; it is a number up to 65535.`);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

export function again(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
