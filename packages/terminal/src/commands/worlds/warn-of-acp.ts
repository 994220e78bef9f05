import { isLocalLink } from '@countersign/client';
import type { AcpSettings } from '@countersign/protocol';
import type { CommandContext } from '../../context.js';
import { drillOf } from '../../gate/drill/acp/acp-findings.js';
import { findAcpProgram } from '../../gate/drill/find-agent.js';
import { plainLine } from '../../text/plain-text.js';
import { acpAgents as texts } from '../../words/gate.js';
import { results } from '../../words/results.js';

/** Warns about the program of an ACP agent if it isn't on this machine, or isn't known to ask for every call. */
export async function warnOfAcp(context: CommandContext, acp: AcpSettings | undefined): Promise<void> {
  if (context.options.json || acp === undefined) return;
  const warn = (text: string): void => context.note(plainLine(results.warning(text)));
  const [program = ''] = acp.command;
  // A server on another machine has programs of its own.
  const url = context.options.url ?? context.console.env['COUNTERSIGN_URL'] ?? '';
  const isElsewhere = url !== '' && !isLocalLink(url);
  if (!isElsewhere && (await findAcpProgram(program, context.console.env['PATH'] ?? '')) === undefined)
    warn(texts.notFound(program));
  const known = drillOf(acp);
  if (known === undefined) warn(texts.unknown(program));
  else if (known === 'codex') warn(texts.codex);
  else context.note(texts.drillNext(known));
}
