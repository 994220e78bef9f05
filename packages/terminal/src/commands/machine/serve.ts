import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import type { ServeOptions } from '../../connection/server-access.js';
import { openProject } from '../../project/open-project.js';
import { projectFolder } from '../../project/project-folder.js';
import { suggestion } from '../../text/suggest.js';
import { again, readPort } from '../read-flags.js';
import type { Register } from '../register.js';
import { errors } from '../../words/errors.js';
import { withHelp } from '../../words/help.js';
import { serveHelp as help } from '../../words/help-server.js';

const LOG_LEVELS = ['error', 'warn', 'info', 'silent'];

interface ServeFlags {
  port?: string;
  host?: string;
  allowHost?: string[];
  tls?: string[];
  tlsPort?: string;
  open: boolean;
  logLevel?: string;
}

/** `countersign serve`, and `countersign` without a command (TERM1), which opens a chat in a project folder (TERM1.3). */
export function addServe(program: Command, register: Register): void {
  const command = withHelp(program.command('serve', { isDefault: true }), help)
    .summary(help.summary)
    .option('--port <n>', help.port)
    .option('--host <name>', help.host)
    .option('--allow-host <name>', help.allowHost, again)
    .option('--tls <files...>', help.tls)
    .option('--tls-port <n>', help.tlsPort)
    .option('--no-open', help.noOpen)
    .option('--log-level <level>', help.logLevel(LOG_LEVELS));
  register<ServeFlags>(command, async (context, { options }) => {
    const { servers, isPerson } = context;
    const { env } = context.console;
    const { home, json, url } = context.options;
    // A server at another URL may be on another machine, which doesn't have this folder.
    const isHere = url === undefined && nonEmpty(env['COUNTERSIGN_URL']) === undefined;
    const folder = program.args.length === 0 && isPerson && isHere ? projectFolder(process.cwd()) : undefined;
    if (folder !== undefined) return await openProject(context, folder);
    const port = options.port ?? nonEmpty(env['PORT']);
    const logLevel = options.logLevel ?? nonEmpty(env['LOG_LEVEL']);
    if (logLevel !== undefined && !LOG_LEVELS.includes(logLevel)) {
      throw new CommandError(errors.notAChoice('--log-level', logLevel, suggestion(logLevel, LOG_LEVELS)));
    }
    const tls = readTls(options);
    const words: ServeOptions = {
      open: options.open,
      json,
      ...(port === undefined ? {} : { port: readPort(port) }),
      ...(tls === undefined ? {} : { tls }),
      ...(tls !== undefined || options.host === undefined ? {} : { host: options.host }),
      ...(options.allowHost === undefined ? {} : { allowHosts: options.allowHost }),
      ...(home === undefined ? {} : { home }),
      ...(logLevel === undefined ? {} : { logLevel }),
    };
    return await servers.serve(words);
  });
}

/** With `--tls`, `--host` is where https listens. Plain http stays on this machine. */
function readTls({ tls, tlsPort, host }: ServeFlags): ServeOptions['tls'] {
  if (tls === undefined) {
    if (tlsPort !== undefined) throw new CommandError(errors.tlsFiles);
    return undefined;
  }
  const [cert, key, ...more] = tls;
  if (cert === undefined || key === undefined || more.length > 0) throw new CommandError(errors.tlsFiles);
  return { cert, key, host, ...(tlsPort === undefined ? {} : { port: readPort(tlsPort) }) };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
