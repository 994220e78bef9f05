import type { Command } from 'commander';
import type { ServedRequest } from '../../connection/server-access.js';
import { plainLine } from '../../text/plain-text.js';
import { untilInterrupted } from '../../input/until-interrupted.js';
import type { Register } from '../register.js';
import { readText } from '../worlds/agents.js';
import { withHelp } from '../../words/help.js';
import { modelHelp as help } from '../../words/help-server.js';
import { results } from '../../words/results.js';
import { readPort } from '../read-flags.js';

interface ModelFlags {
  script: string;
  port?: string;
  host?: string;
  log?: boolean;
}

/** `countersign model` (TERM7). */
export function addModel(program: Command, register: Register): void {
  const command = withHelp(program.command('model'), help)
    .requiredOption('--script <file>', help.script)
    .option('--port <n>', help.port)
    .option('--host <name>', help.host)
    .option('--log', help.log);
  register<ModelFlags>(command, async (context, { options: { script, port, host, log } }) => {
    const file = { name: script, text: await readText(script) };
    // Must be first, so that no early signal is missed.
    const interrupted = untilInterrupted();
    try {
      const model = await context.servers.startModel({
        file,
        ...(port === undefined ? {} : { port: readPort(port) }),
        ...(host === undefined ? {} : { host }),
        ...(log === true ? { onRequest: (served: ServedRequest) => context.note(plainLine(lineOf(served))) } : {}),
      });
      const { url, env } = model;
      if (context.options.json) context.jsonLine({ url, env });
      else {
        context.say(results.modelListening(url));
        for (const [name, value] of Object.entries(env)) context.say(`  ${name}=${value}`);
        context.note(results.modelStop);
      }
      await interrupted.promise;
      await model.close();
    } finally {
      interrupted.end();
    }
  });
}

const MAX_SHOWN = 60;

function lineOf({ method, path, status, reply, request }: ServedRequest): string {
  const shown = request === undefined ? undefined : (request.toolResults.at(-1) ?? request.user);
  return [
    method,
    path,
    ...(request === undefined ? [] : [request.model, results.modelTurn(request.turn)]),
    ...(shown === undefined
      ? []
      : [JSON.stringify(shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown)]),
    '→',
    ...(reply === undefined ? [] : [results.modelReply(reply)]),
    status === undefined ? results.modelNoResponse : String(status),
  ].join(' ');
}
