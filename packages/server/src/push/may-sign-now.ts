import type { Approval } from '@countersign/protocol';

/** Lists of people on a card are cut at this many (SIGN1.10): someone who isn't in them may be one of the others. */
const MOST_LISTED = 100;

/** Whether a signature of this person, who may sign in the world, still counts for a call, and is missing (SIGN1). */
export function maySignNow({ needs = [] }: Pick<Approval, 'needs'>, personId: string): boolean {
  if (needs.length === 0) return true;
  return needs.some(({ mayIds = [], delegates = [] }) => {
    const listed = [...mayIds, ...delegates.map(({ id }) => id)];
    return listed.includes(personId) || listed.length >= MOST_LISTED;
  });
}
