import { createHash } from 'node:crypto';
import { recordText, type AuditEntry, type SignedHead } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../../tests/support/scaled.js';
import { anchorOf } from './anchor-text.js';
import { checkHeads } from './check-heads.js';

type Record = Omit<AuditEntry, 'seq' | 'hash' | 'previousHash'>;

/** Numbers and hashes the records as the store does, and as an attacker would to hide changes. */
function chained(records: readonly Record[]): AuditEntry[] {
  let previousHash = '';
  return records.map((record, index) => {
    const hash = createHash('sha256')
      .update(previousHash + recordText(record))
      .digest('hex');
    const entry = { ...record, seq: index + 1, previousHash, hash };
    previousHash = hash;
    return entry;
  });
}

function headAt(entries: readonly AuditEntry[], seq: number): SignedHead {
  const [first, last] = [entries[0], entries[seq - 1]];
  if (first === undefined || last === undefined) throw new Error('the log has no such record');
  const at = '2026-11-16T05:00:00.000Z';
  const claim = { kind: 'countersign-audit-head', version: 1, world: 'w', first: first.hash, seq, at } as const;
  return { ...claim, hash: last.hash, signature: null };
}

const record = (tool: string): Record => ({ at: '2026-11-16T04:00:00.000Z', worldId: 'w', kind: 'run', tool });
const log = (...tools: string[]): AuditEntry[] => chained(tools.map(record));

const isReported = async (entries: readonly AuditEntry[], head: SignedHead): Promise<boolean> => {
  const { chain, findings } = await checkHeads(entries, [head]);
  return !chain.ok || findings.some(({ kind }) => kind !== 'matches');
};

describe('[LOG3] a log and a head that was stored elsewhere', () => {
  it('match even if heads were created every few minutes for years', () => {
    const head = headAt(log('a', 'b'), 2);
    expect(anchorOf(Array.from({ length: 200_000 }, () => head))).toMatchObject({ heads: 200_000, records: 2 });
  });

  it('match if the log has only grown', async () => {
    const head = headAt(log('a', 'b', 'c'), 3);
    const { chain, findings } = await checkHeads(log('a', 'b', 'c', 'd'), [head]);
    expect(chain).toEqual({ ok: true, records: 4 });
    expect(findings).toEqual([{ kind: 'matches', head }]);
  });

  it('differ if the log was truncated, rewritten with the same length, or replaced', async () => {
    const head = headAt(log('a', 'b', 'c'), 3);
    const kindFor = async (entries: AuditEntry[]) => (await checkHeads(entries, [head])).findings[0]?.kind;
    expect(await kindFor(log('a', 'b'))).toBe('cut-off');
    expect(await kindFor([])).toBe('cut-off');
    expect(await kindFor(log('a', 'x', 'c'))).toBe('rewritten');
    expect(await kindFor(log('x', 'b', 'c'))).toBe('other-log');
    expect(await kindFor(log('x'))).toBe('other-log');
  });

  it('are compared for each head, even if two contradict each other', async () => {
    const honest = log('a', 'b', 'c', 'd');
    const heads = [headAt(honest, 2), headAt(log('a', 'b', 'x'), 3), headAt(honest, 4)];
    const { findings } = await checkHeads(honest, heads);
    expect(findings.map(({ kind }) => kind)).toEqual(['matches', 'rewritten', 'matches']);
  });

  const tools = fc.array(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 12 });

  it('differ after any removal, change, insertion or reordering at or before the head, rehashed or not', async () => {
    await fc.assert(
      fc.asyncProperty(
        tools,
        tools,
        fc.nat(),
        fc.array(
          fc.tuple(fc.constantFrom('remove', 'edit', 'insert', 'swap', 'cut'), fc.nat(), fc.nat(), fc.string()),
          {
            minLength: 1,
            maxLength: 4,
          },
        ),
        fc.boolean(),
        async (before, after, rest, steps, isRehashed) => {
          const honest = log(...before, ...after);
          const seq = 1 + (rest % before.length);
          const head = headAt(honest, seq);
          const changed = steps.reduce((entries, [what, i, j, text]) => tamper(entries, { what, i, j, text }), honest);
          const bare = changed.map(({ seq: _seq, hash: _hash, previousHash: _previous, ...kept }) => kept);
          const entries = isRehashed ? chained(bare) : changed;
          const isSame =
            recordText(bare.slice(0, seq)) ===
            recordText(
              log(...before)
                .map(toRecord)
                .slice(0, seq),
            );
          const isFound = await isReported(entries, head);
          const isMissed = !isSame && !isFound;
          const isFalseAlarm = isSame && isFound && isRehashed;
          expect({ isMissed, isFalseAlarm }).toEqual({ isMissed: false, isFalseAlarm: false });
        },
      ),
      { numRuns: scaled(300) },
    );
  });
});

const toRecord = ({ seq: _seq, hash: _hash, previousHash: _previous, ...kept }: AuditEntry): Record => kept;

interface Step {
  what: 'remove' | 'edit' | 'insert' | 'swap' | 'cut';
  i: number;
  j: number;
  text: string;
}

function tamper(entries: readonly AuditEntry[], { what, i, j, text }: Step): AuditEntry[] {
  const all = [...entries];
  const [at, other] = [i % Math.max(all.length, 1), j % Math.max(all.length, 1)];
  const [a, b] = [all[at], all[other]];
  if (a === undefined || b === undefined) return all;
  switch (what) {
    case 'remove':
      return all.filter((_, index) => index !== at);
    case 'edit':
      return all.with(at, { ...a, tool: text });
    case 'insert':
      return all.toSpliced(at, 0, { ...a, tool: text });
    case 'swap':
      return all.with(at, b).with(other, a);
    case 'cut':
      return all.slice(0, at);
  }
}
