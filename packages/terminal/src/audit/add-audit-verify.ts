import type { KeyObject } from 'node:crypto';
import { ClientError, type Client } from '@countersign/client';
import type { AuditVerdict, SignedHead } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../command-error.js';
import type { Register } from '../commands/register.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { plainLine } from '../text/plain-text.js';
import { homeOf } from './add-audit-head.js';
import { anchorOf, anchorText, problemOf, type Anchor } from './anchor-text.js';
import { isInside, readPublicKey } from './audit-key.js';
import { checkHeads } from './check-heads.js';
import { chosenLog, findLogs, logName, recordsOf } from './find-log.js';
import { openSigner } from './open-signer.js';
import { readHeads } from './read-heads.js';
import { auditWords as words } from '../words/audit.js';
import { withHelp, WORLD_OR_ALL } from '../words/help.js';
import { auditHelp } from '../words/help-decide.js';

interface VerifyFlags {
  world?: string;
  server?: boolean;
  head?: string[];
  key?: string[];
}

type Verified = { world: string } & (
  | (Extract<AuditVerdict, { ok: true }> & { anchor: Anchor })
  | { ok: false; at: number; problem: string; detail: string }
);

/** `countersign audit verify` (A16). */
export function addAuditVerify(audit: Command, register: Register): void {
  const collect = (value: string, all: string[] = []): string[] => [...all, value];
  const verify = withHelp(audit.command('verify'), auditHelp.verify)
    .option('-w, --world <world>', WORLD_OR_ALL)
    .option('--server', auditHelp.server)
    .option('--head <file>', auditHelp.headFile, collect)
    .option('--key <file>', auditHelp.keyFile, collect);
  register<VerifyFlags>(verify, async (context, { options }) => {
    // Read the heads first: if one can't be trusted, nothing should look verified.
    const heads = await trustedHeads(context, options);
    const client = await context.client();
    const only = chosenLog(options);
    const worlds = new Set(await findLogs(client, only));
    if (only === undefined) for (const { world } of heads) worlds.add(world);
    const items: Verified[] = [];
    for (const world of worlds) {
      if (context.isPerson) context.note(words.checking(logName(world)));
      const own = heads.filter((head) => head.world === world);
      if (only !== undefined && heads.length > 0 && own.length === 0) {
        throw new CommandError(words.noHeadFor(world), EXIT.failed);
      }
      items.push({ world, ...(await verifyLog(client, world, own)) });
    }
    const isWhole = items.every(({ ok }) => ok);
    if (context.options.json) context.json({ ok: isWhole, items });
    else for (const item of items) say(context, item);
    return isWhole ? EXIT.ok : EXIT.failed;
  });
}

async function trustedHeads(
  context: CommandContext,
  { head: files = [], key = [] }: VerifyFlags,
): Promise<SignedHead[]> {
  if (files.length === 0) {
    if (key.length > 0) throw new CommandError(words.keyWithoutHead);
    return [];
  }
  const home = await homeOf(context);
  const signer = openSigner(context.console.env, home);
  const keys: KeyObject[] = [...key.map(readPublicKey), ...(signer.kind === 'key' ? [signer.publicKey] : [])];
  return files.flatMap((file) => {
    const read = readHeads(file, keys);
    if (isInside(home, file) && read.some(({ signature }) => signature === null)) {
      throw new CommandError(words.headInHome(file), EXIT.failed);
    }
    return read;
  });
}

/** The server verifies its chain against its head file; then the client verifies the records against the heads. */
async function verifyLog(client: Client, world: string, heads: readonly SignedHead[]): Promise<Without<Verified>> {
  const verdict = await client.verifyAudit(world).catch((error: unknown) => {
    if (heads.length > 0 && error instanceof ClientError && error.status === 404) return 'gone' as const;
    throw error;
  });
  if (verdict === 'gone') return { ok: false, ...problemOf({ kind: 'cut-off', head: latest(heads), records: 0 }) };
  if (!verdict.ok) return verdict;
  if (heads.length === 0) return { ...verdict, anchor: { kind: 'none' } };
  const { chain, findings } = await checkHeads(recordsOf(client, world), heads);
  if (!chain.ok) return { ok: false, at: chain.at, problem: 'edited', detail: chain.why };
  const wrong = findings.find(({ kind }) => kind !== 'matches');
  if (wrong !== undefined && wrong.kind !== 'matches') return { ok: false, ...problemOf(wrong) };
  return { ...verdict, anchor: anchorOf(heads) };
}

type Without<T> = T extends { world: string } ? Omit<T, 'world'> : never;

function latest(heads: readonly SignedHead[]): SignedHead {
  return heads.reduce((a, b) => (b.seq > a.seq ? b : a));
}

function say(context: CommandContext, item: Verified): void {
  if (!item.ok) {
    context.say(plainLine(words.broken(logName(item.world), item.problem, item.at, item.detail)));
    return;
  }
  context.say(plainLine(words.intact(logName(item.world), item.records)));
  for (const line of anchorText(item)) context.say(`  ${plainLine(line)}`);
}
