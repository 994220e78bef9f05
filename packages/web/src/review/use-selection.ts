import type { ApprovalView, ChangeEntry } from '@countersign/client';
import type { Run } from '@countersign/protocol';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { runOf } from '../approvals/run-of.js';
import { useClient, useWorld } from '../data/connection.js';
import { useMay } from '../data/me.js';
import { attempt } from '../notices/toast.js';
import { paths } from '../shell/paths.js';
import { reviewWords } from '../words/review.js';

type Chosen = ReadonlyMap<string, 'all' | ReadonlySet<number>>;

const NONE: Chosen = new Map();

/** The part of a run that a person wants to be asked about (RUN33). */
export interface Selection {
  /** Number of files. */
  readonly count: number;
  readonly isSending: boolean;
  /** Undefined if it can't be selected. */
  readonly stateOf: (entry: ChangeEntry) => 'none' | 'some' | 'all' | undefined;
  readonly toggle: (entry: ChangeEntry) => void;
  readonly hasBlock: (path: string, block: number) => boolean;
  /** `of`: the number of blocks of the file. */
  readonly toggleBlock: (path: string, block: number, of: number) => void;
  readonly clear: () => void;
  readonly send: () => Promise<void>;
}

/** Undefined if no part of this call can be taken. The selection belongs to exactly this change. */
export function useSelection(approval: ApprovalView): Selection | undefined {
  const client = useClient();
  const worldId = useWorld((state) => state.worldId);
  const maySign = useMay('sign', worldId);
  const [, go] = useLocation();
  const [isSending, setSending] = useState(false);
  const [kept, setKept] = useState<{ hash: string; chosen: Chosen }>();
  const run = runOf(approval);
  const hash = approval.effect?.effectHash;
  if (run === undefined || hash === undefined || approval.decision !== undefined || !maySign) return undefined;
  const chosen = kept?.hash === hash ? kept.chosen : NONE;
  const keep = (path: string, what: 'all' | ReadonlySet<number> | undefined): void =>
    setKept((before) => {
      const next = new Map(before?.hash === hash ? before.chosen : NONE);
      if (what === undefined || (what !== 'all' && what.size === 0)) next.delete(path);
      else next.set(path, what);
      return { hash, chosen: next };
    });
  const hasBlock: Selection['hasBlock'] = (path, block) => {
    const found = chosen.get(path);
    return found === 'all' || found?.has(block) === true;
  };
  const stateOf: Selection['stateOf'] = (entry) => {
    const all = exactPaths(entry);
    if (all.length === 0) return undefined;
    if (all.every((path) => chosen.get(path) === 'all')) return 'all';
    return all.some((path) => chosen.has(path)) ? 'some' : 'none';
  };
  return {
    count: chosen.size,
    isSending,
    stateOf,
    hasBlock,
    toggle(entry) {
      const what = stateOf(entry) === 'all' ? undefined : 'all';
      for (const path of exactPaths(entry)) keep(path, what);
    },
    toggleBlock(path, block, of) {
      const all = Array.from({ length: of }, (_, index) => index + 1);
      keep(path, new Set(all.filter((each) => hasBlock(path, each) !== (each === block))));
    },
    clear: () => setKept(undefined),
    async send() {
      const hunks = [...chosen].flatMap(([path, what]) =>
        what === 'all' ? [] : [...what].map((hunk) => ({ path, hunk })),
      );
      const whole = [...chosen].flatMap(([path, what]) => (what === 'all' ? [path] : []));
      setSending(true);
      let part: Run | undefined;
      const asking = client.runs.select(worldId, run, { effectHash: hash, paths: whole, hunks });
      await attempt(
        'select',
        asking.then((made) => void (part = made)),
        reviewWords.asked,
      );
      setSending(false);
      if (part?.approvalId !== undefined) go(paths.review(worldId, part.approvalId));
    },
  };
}

function exactPaths(entry: ChangeEntry): string[] {
  const files = entry.kind === 'folder' ? entry.files : [entry];
  return files.flatMap(({ exactPath }) => exactPath ?? []);
}
