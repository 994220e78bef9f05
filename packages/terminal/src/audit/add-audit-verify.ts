import type { KeyObject } from 'node:crypto';
import { ClientError } from '@countersign/client';
import type { AuditEntry, AuditVerdict, SignedHead } from '@countersign/protocol';
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
import { openSignatureChecks, signaturesText, type Signatures } from './check-signatures.js';
import { chosenLog, findLogs, logName, recordsOf } from './find-log.js';
import { openSigner } from './open-signer.js';
import { readExport } from './read-export.js';
import { readHeads } from './read-heads.js';
import { auditWords as words } from '../words/audit.js';
import { withHelp, WORLD_OR_ALL } from '../words/help.js';
import { auditHelp } from '../words/help-decide.js';
import { receiptWords } from '../words/receipts.js';

interface VerifyFlags {
  world?: string;
  server?: boolean;
  head?: string[];
  key?: string[];
  file?: string;
  signatures?: boolean;
  keys?: string;
}

type Verified = { world: string } & (
  | (Extract<AuditVerdict, { ok: true }> & { anchor: Anchor; signatures?: Signatures })
  | { ok: false; at: number; problem: string; detail: string; signatures?: Signatures }
);

/** `countersign audit verify` (LOG1). */
export function addAuditVerify(audit: Command, register: Register): void {
  const collect = (value: string, all: string[] = []): string[] => [...all, value];
  const verify = withHelp(audit.command('verify'), auditHelp.verify)
    .option('-w, --world <world>', WORLD_OR_ALL)
    .option('--server', auditHelp.server)
    .option('--head <file>', auditHelp.headFile, collect)
    .option('--key <file>', auditHelp.keyFile, collect)
    .option('--file <file>', auditHelp.file)
    .option('--signatures', auditHelp.signatures)
    .option('--keys <file>', auditHelp.keys);
  register<VerifyFlags>(verify, async (context, { options }) => {
    // Read the heads and keys first: if one can't be trusted, nothing should look verified.
    const heads = await trustedHeads(context, options);
    const newCheck = await openSignatureChecks(context, options);
    const items: Verified[] = [];
    for await (const log of sourcesOf(context, options, heads)) {
      if (context.isPerson) context.note(words.checking(logName(log.world)));
      const check = await newCheck?.();
      const verified = await verifyLog(log, check === undefined ? undefined : (record) => check.add(record));
      items.push({ world: log.world, ...(check === undefined ? verified : withSignatures(verified, check.result)) });
    }
    const isWhole = items.every(({ ok }) => ok);
    if (context.options.json) context.json({ ok: isWhole, items });
    else for (const item of items) say(context, item);
    return isWhole ? EXIT.ok : EXIT.failed;
  });
}

/** A log to verify, and the heads that were stored elsewhere. */
interface LogSource {
  world: string;
  heads: readonly SignedHead[];
  /** The server's own verdict. An export has none. */
  verdict?: () => Promise<AuditVerdict>;
  records: () => Iterable<AuditEntry> | AsyncIterable<AuditEntry>;
}

async function* sourcesOf(
  context: CommandContext,
  options: VerifyFlags,
  heads: readonly SignedHead[],
): AsyncGenerator<LogSource, void> {
  const only = chosenLog(options);
  const headsOf = (world: string, isChosen: boolean): readonly SignedHead[] => {
    const own = heads.filter((head) => head.world === world);
    if (isChosen && heads.length > 0 && own.length === 0) throw new CommandError(words.noHeadFor(world), EXIT.failed);
    return own;
  };
  if (options.file !== undefined) {
    if (only !== undefined) throw new CommandError(receiptWords.fileOrWorld, EXIT.usage);
    const records = readExport(options.file);
    const world = records[0].worldId;
    yield { world, heads: headsOf(world, true), records: () => records };
    return;
  }
  const client = await context.client();
  const worlds = new Set(await findLogs(client, only));
  if (only === undefined) for (const { world } of heads) worlds.add(world);
  for (const world of worlds)
    yield {
      world,
      heads: headsOf(world, only !== undefined),
      verdict: () => client.verifyAudit(world),
      records: () => recordsOf(client, world),
    };
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
async function verifyLog(
  { heads, verdict: ask, records }: LogSource,
  onRecord: ((entry: AuditEntry) => void) | undefined,
): Promise<Without<Verified>> {
  const verdict = await ask?.().catch((error: unknown) => {
    if (heads.length > 0 && error instanceof ClientError && error.status === 404) return 'gone' as const;
    throw error;
  });
  if (verdict === 'gone') return { ok: false, ...problemOf({ kind: 'cut-off', head: latest(heads), records: 0 }) };
  if (verdict?.ok === false) return verdict;
  const anchor: Anchor = heads.length === 0 ? { kind: 'none' } : anchorOf(heads);
  if (verdict !== undefined && heads.length === 0 && onRecord === undefined) return { ...verdict, anchor };
  const { chain, findings } = await checkHeads(records(), heads, onRecord);
  if (!chain.ok) return { ok: false, at: chain.at, problem: 'edited', detail: chain.why };
  const wrong = findings.find(({ kind }) => kind !== 'matches');
  if (wrong !== undefined && wrong.kind !== 'matches') return { ok: false, ...problemOf(wrong) };
  return { ...(verdict ?? chain), anchor };
}

/** Adds what passkeys signed. An invalid signature makes an intact log fail. */
function withSignatures(verified: Without<Verified>, signatures: Signatures): Without<Verified> {
  const [first] = signatures.invalid;
  if (!verified.ok || first === undefined) return { ...verified, signatures };
  const detail = receiptWords.problems[first.problem];
  return { ok: false, at: first.at, problem: receiptWords.invalid, detail, signatures };
}

type Without<T> = T extends { world: string } ? Omit<T, 'world'> : never;

function latest(heads: readonly SignedHead[]): SignedHead {
  return heads.reduce((a, b) => (b.seq > a.seq ? b : a));
}

function say(context: CommandContext, item: Verified): void {
  const name = logName(item.world);
  if (!item.ok) {
    context.say(plainLine(words.broken(name, item.problem, item.at, item.detail)));
    for (const { at, problem } of item.signatures?.invalid ?? []) {
      if (at === item.at) continue;
      context.say(plainLine(words.broken(name, receiptWords.invalid, at, receiptWords.problems[problem])));
    }
    return;
  }
  context.say(plainLine(words.intact(name, item.records)));
  const lines = [...anchorText(item), ...(item.signatures === undefined ? [] : signaturesText(item.signatures))];
  for (const line of lines) context.say(`  ${plainLine(line)}`);
}
