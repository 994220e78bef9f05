import type { ApprovalRecord, Hold, StoreReader } from '@countersign/core/ports';
import { whoSchema, type CommitReceipt, type Receipt, type Who } from '@countersign/protocol';
import type { AppContext } from '../app/context.js';
import { draftsOf } from './runs.js';

type Context = Pick<AppContext, 'engine' | 'runs'>;

/** Adds a receipt to each commit that an applied run has brought. Does nothing if that was done, so it can be tried again after a failure. */
export async function writeReceipts({ engine, runs }: Context, id: string, hold?: Hold): Promise<void> {
  const commitKey = runs?.commitKey;
  if (commitKey === undefined) return;
  const { kept } = draftsOf({ runs });
  const make: Parameters<typeof kept.addReceipts>[1] = async ({ callId, worldId, effectHash, commits }) => {
    const { store, clock } = engine.runtime;
    const { signers, rule, passkeys } = await store.read((reader) => signaturesOf(reader, worldId, callId));
    const about: Omit<CommitReceipt, 'commit'> = {
      ...{ version: 1, change: effectHash, run: id, call: callId, world: worldId },
      ...{ appliedAt: new Date(clock.now()).toISOString(), signers: [...signers], passkeys: [...passkeys] },
      ...(rule === undefined ? {} : { rule }),
    };
    return commits.map((commit) => ({ commit, text: `${JSON.stringify(commitKey.sign({ ...about, commit }))}\n` }));
  };
  await kept.addReceipts(id, make, hold);
}

interface Signatures {
  readonly signers: readonly Who[];
  readonly rule?: string;
  readonly passkeys: readonly Receipt[];
}

async function signaturesOf(reader: StoreReader, worldId: string, callId: string): Promise<Signatures> {
  const call = await reader.invocation(callId);
  const approvalId = call?.approvalId ?? undefined;
  const approval = approvalId === undefined ? undefined : await reader.approval(approvalId);
  if (approval === undefined) return { signers: [], passkeys: [] };
  const { decidedBy, signing, rule } = approval;
  const last = decidedBy === null ? [] : [whoSchema.parse(JSON.parse(decidedBy))];
  const all = [...(signing?.signed.map(({ who }) => who) ?? []), ...last];
  const signers = all.filter((who, at) => all.findIndex(({ kind, id }) => kind === who.kind && id === who.id) === at);
  const passkeys = needsPasskeys(approval) ? await receiptsOf(reader, worldId, callId) : [];
  return { signers, passkeys, ...(rule === null ? {} : { rule }) };
}

/** Only then is the log read. */
function needsPasskeys({ signing }: ApprovalRecord): boolean {
  return signing !== null;
}

const PAGE = 200;

/** Reads the log back to the request of the call, which its signatures follow: a log can be long. */
export async function receiptsOf(
  reader: Pick<StoreReader, 'lastAudit'>,
  worldId: string,
  callId: string,
): Promise<Receipt[]> {
  const found: Receipt[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const page = await reader.lastAudit(worldId, { before, limit: PAGE });
    for (const { invocationId, kind, receipt } of page) {
      if (invocationId !== callId) continue;
      if (kind === 'request') return found.toReversed();
      if (receipt === undefined) continue;
      const { callHash: _, publicKey: __, rpId: ___, ...own } = receipt;
      found.push(own);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return found.toReversed();
    before = last.seq;
  }
}
