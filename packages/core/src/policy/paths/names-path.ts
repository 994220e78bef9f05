import { covering, firstMatching, groupsFor } from '../rules/find-rules.js';
import type { Policies } from '../judge.js';
import { toMatchable } from '../matchable-call.js';
import type { CallFolders } from '../types.js';

const WRITE = 'write_file';

/**
 * Whether an allow rule for `write_file` names a path, and no rule denies the path or requires approval (CHANGE4). Rules for any path or for every
 * tool are ignored.
 */
export function namesPath({ admin, world, agent }: Policies, place: CallFolders): (path: string) => boolean {
  const rules = [admin, world]
    .flatMap((policy) => policy?.allow.byTool.get(WRITE) ?? [])
    .map((group) => ({ ...group, any: [] }));
  const guards = [admin, world, agent].flatMap((policy) => [
    ...groupsFor(policy?.deny, WRITE),
    ...groupsFor(policy?.ask, WRITE),
  ]);
  const closed = world.closed !== undefined || agent.closed !== undefined;
  return (path) => {
    if (closed || rules.length === 0) return false;
    const call = toMatchable({
      tool: WRITE,
      subjects: [{ kind: 'path', path, argument: 'path' }],
      place,
      arguments: { ok: true, value: { path } },
    });
    return firstMatching(guards, call) === undefined && covering(rules, call) !== undefined;
  };
}
