import { resolve } from 'node:path';
import type { Command } from 'commander';
import { EXIT } from '../../exit-codes.js';
import { acpFindings } from '../../gate/drill/acp/acp-findings.js';
import { drillFindings } from '../../gate/drill/doctor-findings.js';
import { tokenFindings } from '../../gate/token-findings.js';
import type { Finding } from '../../connection/server-access.js';
import { padTo } from '../../text/cells.js';
import { plainLine } from '../../text/plain-text.js';
import { wrapNote } from '../../text/wrap-note.js';
import { readPort } from '../read-flags.js';
import type { Register } from '../register.js';
import { withHelp } from '../../words/help.js';
import { doctorHelp as help } from '../../words/help-server.js';
import { results } from '../../words/results.js';

/** `countersign doctor` (TERM3). */
export function addDoctor(program: Command, register: Register): void {
  const command = withHelp(program.command('doctor'), help).option('--port <n>', help.port);
  register<{ port?: string }>(command, async (context, { options }) => {
    const { servers, console, paint } = context;
    const home = context.options.home === undefined ? await servers.defaultHome() : resolve(context.options.home);
    const port = options.port ?? (console.env['PORT'] === '' ? undefined : console.env['PORT']);
    const probed = await servers.probe(home, port === undefined ? undefined : readPort(port));
    const drilled = await drillFindings(home, console.env);
    const tokens = await tokenFindings(servers, home, console.env);
    const findings = [...probed, ...tokens, ...drilled, ...(await acpFindings(servers, home, console.env))];
    const isBroken = findings.some(({ state }) => state === 'broken');
    if (context.options.json) context.json({ ok: !isBroken, items: findings });
    else {
      const { fine, missing, warning, broken } = results.doctorState;
      const marks = {
        fine: paint.green(fine),
        missing: paint.dim(missing),
        warning: paint.amber(warning),
        broken: paint.red(broken),
      };
      const indent = ' '.repeat(widest(findings) + 11);
      const columns = context.columns();
      const wrapped = (text: string): string[] =>
        columns === undefined ? [text] : wrapNote(text, columns - indent.length).split('\n');
      for (const { what, state, detail, advice } of findings) {
        const [first = '', ...rest] = wrapped(plainLine(detail));
        context.say(`${marks[state]}  ${padTo(what, widest(findings))}  ${first}`);
        for (const line of rest) context.say(`${indent}${line}`);
        if (advice === undefined) continue;
        for (const line of wrapped(plainLine(advice))) context.say(`${indent}${paint.dim(line)}`);
      }
      context.say(results.doctorVerdict(isBroken));
    }
    return isBroken ? EXIT.failed : EXIT.ok;
  });
}

function widest(findings: readonly Finding[]): number {
  return Math.max(...findings.map(({ what }) => what.length));
}
