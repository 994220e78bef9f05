import { createHash } from 'node:crypto';
import type { Rehearsal, RehearsalContext, Tool } from '@countersign/core/ports';
import type { Effect, NoEffectReason } from '@countersign/protocol';
import { gated } from './fixture.js';

interface Kept {
  args: string;
  was: string | undefined;
  effect: Effect;
}

/** A folder in memory and a tool `put` that writes to it, with rehearsals that survive a restart like files do. */
export interface RehearsingTool {
  tool: Tool;
  folder: Map<string, string>;
  /** Rehearsed, applied and ran, in order. */
  log: string[];
  kept: Map<string, Kept>;
  dropped: string[];
  contexts: RehearsalContext[];
  /** If set, nothing can be rehearsed. */
  refuse: { why?: NoEffectReason };
  /** If set, a rehearsal waits for it, or fails. */
  wait: { until?: Promise<unknown>; fail?: string };
  /** Text that the command prints. */
  prints: { text: string };
}

export function rehearsingTool(): RehearsingTool {
  const made: Omit<RehearsingTool, 'tool'> = {
    folder: new Map([['notes.txt', 'old']]),
    log: [],
    kept: new Map(),
    dropped: [],
    contexts: [],
    refuse: {},
    wait: {},
    prints: { text: 'written\n' },
  };
  const { folder, log, kept, dropped, contexts, refuse, wait, prints } = made;
  const isCurrent = (found: Kept | undefined, args: string, path: string): found is Kept =>
    found?.args === args && found.was === folder.get(path);
  const found = ({ effect, was }: Kept): Rehearsal => {
    const all = effect.files.map(({ path }) => path);
    const lists = { added: was === undefined ? all : [], changed: was === undefined ? [] : all, removed: [] };
    return { fingerprint: effect.effectHash, effect, paths: { ...lists, outward: [], leftOut: [] } };
  };
  const rehearse = async (args: unknown, context: RehearsalContext): Promise<Rehearsal> => {
    contexts.push(context);
    const { path, text } = args as { path: string; text: string };
    if (refuse.why !== undefined) return { fingerprint: undefined, noEffect: { reason: refuse.why } };
    const known = kept.get(context.invocationId);
    const json = JSON.stringify(args);
    if (isCurrent(known, json, path)) return found(known);
    log.push(`rehearsed ${path}`);
    await wait.until;
    if (wait.fail !== undefined) throw new Error(wait.fail);
    const was = folder.get(path);
    const effectHash = createHash('sha256')
      .update(JSON.stringify({ path, text, was: was ?? null }))
      .digest('hex');
    const diff = `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-${was ?? ''}\n+${text}\n`;
    const change = was === undefined ? ('added' as const) : ('changed' as const);
    const effect: Effect = {
      files: [{ path, change, kind: 'file', bytes: text.length, diff }],
      leftOut: [],
      effectHash,
      exitCode: 0,
      output: prints.text,
      truncated: false,
    };
    const made = { args: json, was, effect };
    kept.set(context.invocationId, made);
    return found(made);
  };
  const put = gated('put', async (args, { fingerprint, invocationId }) => {
    const { path, text } = args as { path: string; text: string };
    if (fingerprint === undefined) {
      log.push(`ran ${path}`);
      folder.set(path, text);
      return { printed: prints.text };
    }
    const known = kept.get(invocationId);
    if (!isCurrent(known, JSON.stringify(args), path) || known.effect.effectHash !== fingerprint)
      throw new Error('the rehearsal is gone');
    log.push(`applied ${path}`);
    folder.set(path, text);
    return { printed: known.effect.output };
  });
  const tool: Tool = {
    ...put,
    rehearsals: {
      rehearse,
      async drop(id) {
        dropped.push(id);
        kept.delete(id);
      },
      list: async () => [...kept.keys()],
    },
  };
  return { ...made, tool };
}
