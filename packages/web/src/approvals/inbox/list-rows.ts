import { describeCall } from '@countersign/client';
import type { ShownApproval } from '../shown-approval.js';

/** Alike calls, in the place of the first one; or a single call. A group is only a way to show and select calls. */
export interface Group {
  readonly key: string;
  readonly ids: readonly string[];
}

export type Row =
  | { readonly kind: 'group'; readonly group: Group }
  | { readonly kind: 'call'; readonly id: string; readonly isInGroup: boolean };

/** Fewer calls take less space without a line of their own. */
const FEWEST = 3;

const isFoldable = ({ ids }: Group): boolean => ids.length >= FEWEST;

const keys = new WeakMap<ShownApproval['approval'], string>();

/** Calls with the same key are alike: the same agent wants to use the same tool, or to run the same program. */
export function alikeKey({ worldId, approval }: Pick<ShownApproval, 'worldId' | 'approval'>): string {
  const { agentId, approvalId, toolName, question } = approval;
  const known = keys.get(approval);
  if (known !== undefined) return known;
  const key = question === undefined ? [worldId, agentId, toolName, programOf(approval) ?? ''].join(' ') : approvalId;
  keys.set(approval, key);
  return key;
}

/** What the calls of a group have in common: the program of a command, or the tool. */
export function programOf({
  toolName,
  arguments: args,
}: Pick<ShownApproval['approval'], 'toolName' | 'arguments'>): string | undefined {
  const shape = describeCall(toolName, args);
  return shape.kind === 'shell' ? /^\s*(\S{1,60})/.exec(shape.command)?.[1] : undefined;
}

/** Alike calls together, in the place of the first one. */
export function groupCalls(calls: readonly { id: string; key: string }[]): readonly Group[] {
  const alike = new Map<string, string[]>();
  for (const { id, key } of calls) {
    const ids = alike.get(key);
    if (ids === undefined) alike.set(key, [id]);
    else ids.push(id);
  }
  return calls.flatMap(({ id, key }): readonly Group[] => {
    const ids = alike.get(key) ?? [];
    if (ids.length < FEWEST) return [{ key: id, ids: [id] }];
    return ids[0] === id ? [{ key, ids }] : [];
  });
}

/**
 * The rows as they were, for a list under the pointer: nothing in it moves. Calls that are gone keep their row, and new ones come last, or join a
 * group that is folded.
 */
export function keepPlaces(
  before: readonly Group[],
  calls: readonly { id: string; key: string }[],
  open: ReadonlySet<string>,
): readonly Group[] {
  const known = new Set(before.flatMap(({ ids }) => ids));
  const fresh = calls.filter(({ id }) => !known.has(id));
  if (fresh.length === 0) return before;
  const takes = new Set(before.filter((group) => isFoldable(group) && !open.has(group.key)).map(({ key }) => key));
  const joins = (group: Group): string[] => fresh.filter(({ key }) => key === group.key).map(({ id }) => id);
  return [
    ...before.map((group) => (takes.has(group.key) ? { ...group, ids: [...group.ids, ...joins(group)] } : group)),
    ...fresh.filter(({ key }) => !takes.has(key)).map(({ id }) => ({ key: id, ids: [id] })),
  ];
}

export function toRows(groups: readonly Group[], open: ReadonlySet<string>): readonly Row[] {
  return groups.flatMap((group): readonly Row[] => {
    const isInGroup = isFoldable(group);
    const calls = group.ids.map((id) => ({ kind: 'call', id, isInGroup }) as const);
    if (!isInGroup) return calls;
    return [{ kind: 'group', group }, ...(open.has(group.key) ? calls : [])];
  });
}

export const keyOf = (row: Row): string => (row.kind === 'call' ? row.id : row.group.key);
export const idsOf = (row: Row): readonly string[] => (row.kind === 'call' ? [row.id] : row.group.ids);
