import { resolve } from 'node:path';
import { verifyChain, type Client } from '@countersign/client';
import type { AuditClaim, AuditEntry } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../command-error.js';
import type { Register } from '../commands/register.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { plainLine } from '../text/plain-text.js';
import { createKeyFile } from './audit-key.js';
import { findLogs, logName, recordsOf } from './find-log.js';
import { openSigner, signHead } from './open-signer.js';
import { auditWords as words } from '../words/audit.js';
import { withHelp, WORLD_OR_ALL } from '../words/help.js';
import { auditHelp } from '../words/help-decide.js';

/** `countersign audit head` and `countersign audit key` (LOG1). */
export function addAuditHead(audit: Command, register: Register): void {
  const head = withHelp(audit.command('head').option('-w, --world <world>', WORLD_OR_ALL), auditHelp.head);
  register<{ world?: string }>(head, async (context, { options }) => {
    const signer = openSigner(context.console.env, await homeOf(context));
    const client = await context.client();
    const heads = [];
    for (const world of await findLogs(client, options.world)) {
      const claim = await makeClaim(client, world);
      if (claim === undefined) context.note(plainLine(words.noHead(logName(world))));
      else heads.push(await signHead(claim, signer));
    }
    for (const each of heads) context.jsonLine(each);
    if (signer.kind === 'none' && heads.length > 0) {
      context.note(words.notSigned);
    }
  });

  const key = withHelp(audit.command('key').argument('<file>', auditHelp.newKeyFile), auditHelp.key);
  register(key, async (context, { args }) => {
    const made = createKeyFile(args[0] ?? '', await homeOf(context));
    if (context.options.json) return context.json(made);
    context.say(plainLine(words.keyCreated(made.file, made.publicFile)));
    context.say(words.keyId(made.id));
    context.say(plainLine(words.keyUse(made.file)));
  });
}

/** The home folder, even if this command doesn't otherwise use it: the key must be outside it, even if the server is on another machine. */
export async function homeOf({ options, servers }: CommandContext): Promise<string> {
  return options.home === undefined ? await servers.defaultHome() : resolve(options.home);
}

/** Claims the current end of a log. A broken log gets no head, because signing it would confirm the damage. */
async function makeClaim(client: Client, world: string): Promise<AuditClaim | undefined> {
  const verdict = await client.verifyAudit(world);
  let first: AuditEntry | undefined;
  let last: AuditEntry | undefined;
  const chain = await verifyChain(recordsOf(client, world), (entry) => {
    first ??= entry;
    last = entry;
  });
  if (!verdict.ok || !chain.ok) {
    const { at } = verdict.ok ? { at: 0, ...chain } : verdict;
    throw new CommandError(words.logBroken(logName(world), at), EXIT.failed);
  }
  if (first === undefined || last === undefined) return undefined;
  const at = new Date().toISOString();
  const { seq, hash } = last;
  return { kind: 'countersign-audit-head', version: 1, world, first: first.hash, seq, hash, at };
}
