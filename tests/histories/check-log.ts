import { SERVER_LOG, type AuditEntry } from '@countersign/protocol';
import { WORLDS, type World } from './cast.js';
import type { Home } from './home.js';
import type { History } from './history.js';
import { describe, numberIn } from './ledger.js';

/** The last record of each world that was checked. */
export type LogPlace = Map<World, number>;

export async function lastRecords(home: Home): Promise<LogPlace> {
  const place: LogPlace = new Map();
  for (const world of WORLDS) {
    const [last] = await home.store.read((reader) => reader.lastAudit(world, { limit: 1 }));
    place.set(world, last?.seq ?? 0);
  }
  return place;
}

/** More of them within a minute are only counted (LOG1.8). */
const MOST_REFUSALS = 30;

/** Every refused request is in the log of the server, with who sent it. */
export async function checkRefusals({ home, ledger }: History): Promise<void> {
  const { size } = ledger.refusals;
  if (size === 0 || size > MOST_REFUSALS) return;
  const records = await home.store.read((reader) => reader.lastAudit(SERVER_LOG, { limit: 200 }));
  for (const [what, actor] of ledger.refusals) {
    const isNamed = records.some(
      ({ kind, who, why }) => kind === 'refusal' && who?.id === actor && why?.startsWith(what),
    );
    if (!isNamed) ledger.violate(`the log doesn't say that ${actor} sent a request that was refused: ${what}`);
  }
}

/** Every record about a call names who requested it, and every signature and run has a record. */
export async function checkLog({ home, ledger }: History, place: LogPlace): Promise<void> {
  for (const world of WORLDS) {
    const records = await home.store.read((reader) =>
      reader.audit(world, { after: place.get(world) ?? 0, limit: 10_000 }),
    );
    place.set(world, records.at(-1)?.seq ?? place.get(world) ?? 0);
    for (const record of records) checkRecord(record);
  }
  for (const signature of ledger.signatures) {
    if (signature.fate === 'accepted' && !signature.isLogged)
      ledger.violate(`the log has no signature of ${signature.actor} for ${signature.n}`);
  }
  for (const { n } of ledger.ran) if (!ledger.loggedRuns.has(n)) ledger.violate(`the log has no run of ${n}`);

  function checkRecord(record: AuditEntry): void {
    const n = record.arguments === undefined ? undefined : numberIn(JSON.stringify(record.arguments));
    const proposal = n === undefined ? undefined : ledger.proposals.get(n);
    if (proposal === undefined) return;
    const { who } = record;
    if (record.kind !== 'refusal') {
      const named = record.requester?.kind === 'person' ? record.requester.id : undefined;
      if (named !== proposal.requester)
        ledger.violate(`the log says that ${named} requested ${describe(proposal)} (${record.kind})`);
    }
    if (record.kind === 'run') ledger.loggedRuns.add(proposal.n);
    // Released: the person who changed the rules allowed the call.
    if ((record.kind !== 'sign' && record.kind !== 'decision') || record.decision === 'release') return;
    const fitting = ledger.signatures.filter(
      (each) => each.n === n && each.actor === who?.id && each.decision === record.decision && !each.isLogged,
    );
    const own = fitting.find(({ fate }) => fate === 'accepted') ?? fitting.find(({ fate }) => fate === 'unheard');
    if (own !== undefined) own.isLogged = true;
    else if (who?.kind === 'person')
      ledger.violate(`the log says that ${who.id} decided ${record.decision} for ${describe(proposal)}`);
  }
}
