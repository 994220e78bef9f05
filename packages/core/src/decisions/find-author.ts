import type { AuditEntry } from '@countersign/protocol';
import type { Runtime } from '../step/runtime.js';
import type { Covering } from './waiting-calls.js';
import { maskSecrets } from '../masking/index.js';

/** Who decided, and from which client if that is known. */
export interface Author {
  who: string;
  client?: string;
}

const PAGE = 500;
/** For a rule that no person of this world wrote: an administrator's. */
const NOBODY: Author = { who: 'system' };

/** The person who gave the grant or wrote the rule that covers a call: they decided on it (A16). */
export async function findAuthor(runtime: Runtime, worldId: string, covering: Covering): Promise<Author> {
  if (covering.kind === 'rule') return await findRuleAuthor(runtime, worldId, covering.rule);
  const grant = await runtime.store.read((reader) => reader.grant(covering.grantId));
  return grant === undefined ? NOBODY : { who: grant.grantedBy };
}

/** Read from the end of the audit log, page by page: a rule that releases a call has usually just been written. */
async function findRuleAuthor(runtime: Runtime, worldId: string, rule: string): Promise<Author> {
  const recorded = maskSecrets(rule);
  let before: number | undefined;
  for (;;) {
    const page = { limit: PAGE, ...(before === undefined ? {} : { before }) };
    const records = await runtime.store.read((reader) => reader.lastAudit(worldId, page));
    const last = records.find((record) => isAboutWorldRule(record, recorded));
    if (last !== undefined) return last.decision === 'added' ? authorOf(last) : NOBODY;
    before = records.at(-1)?.seq;
    if (records.length < PAGE || before === undefined) return NOBODY;
  }
}

/** An agent's own rules release nothing. A rule written by approving a call names that call as well as its agent. */
function isAboutWorldRule({ kind, rule, agentId, invocationId }: AuditEntry, wanted: string): boolean {
  return kind === 'policy' && rule === wanted && (agentId === undefined || invocationId !== undefined);
}

function authorOf({ who, client }: { who?: string; client?: string }): Author {
  return { who: who ?? NOBODY.who, ...(client === undefined ? {} : { client }) };
}
