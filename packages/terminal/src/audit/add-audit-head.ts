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
import { findLogs, recordsOf } from './find-log.js';
import { openSigner, signHead } from './open-signer.js';

/** `countersign audit head` and `countersign audit key` (A16). */
export function addAuditHead(audit: Command, register: Register): void {
  const head = audit
    .command('head')
    .option('-w, --world <world>', 'the world')
    .description('Print the signed head of the log, of one world or of all. Keep it outside the home.')
    .addHelpText(
      'after',
      '\nSigns with the key file in COUNTERSIGN_AUDIT_KEY, or with COUNTERSIGN_AUDIT_COMMAND, which gets the text on standard' +
        '\ninput and prints an Ed25519 signature in base64 (its public key: COUNTERSIGN_AUDIT_PUBLIC_KEY).' +
        '\nExample:\n  countersign audit head >> /mnt/elsewhere/heads.jsonl',
    );
  register<{ world?: string }>(head, async (context, { options }) => {
    const signer = openSigner(context.console.env, await homeOf(context));
    const client = await context.client();
    const heads = [];
    for (const world of await findLogs(client, options.world)) {
      const claim = await makeClaim(client, world);
      if (claim === undefined) context.note(plainLine(`${world}: no records yet, so there is no head.`));
      else heads.push(await signHead(claim, signer));
    }
    for (const each of heads) context.jsonLine(each);
    if (signer.kind === 'none' && heads.length > 0) {
      context.note('Not signed: no key is set up. Create one with: countersign audit key FILE');
    }
  });

  const key = audit
    .command('key')
    .argument('<file>', 'a new file outside the home')
    .description('Create a key that signs audit heads: FILE, and FILE.pub to verify them with.')
    .addHelpText('after', '\nExample:\n  countersign audit key /mnt/elsewhere/audit.key');
  register(key, async (context, { args }) => {
    const made = createKeyFile(args[0] ?? '', await homeOf(context));
    if (context.options.json) return context.json(made);
    context.say(plainLine(`Created ${made.file} and ${made.publicFile}.`));
    context.say(`Key id: ${made.id}. Write it down.`);
    context.say(plainLine(`Sign heads with it: export COUNTERSIGN_AUDIT_KEY=${made.file}`));
  });
}

/** Neither has to run here: the key is checked against the home even when the server is elsewhere. */
export async function homeOf({ options, door }: CommandContext): Promise<string> {
  return options.home === undefined ? await door.defaultHome() : resolve(options.home);
}

/** What the end of a log is now. A broken log gets no head: signing it would vouch for what was done to it. */
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
    throw new CommandError(
      `The audit log of ${world} is broken at record ${at}, so no head was made. Look with: countersign audit verify`,
      EXIT.failed,
    );
  }
  if (first === undefined || last === undefined) return undefined;
  const at = new Date().toISOString();
  const { seq, hash } = last;
  return { kind: 'countersign-audit-head', version: 1, world, first: first.hash, seq, hash, at };
}
