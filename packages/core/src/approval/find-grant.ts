import { patternCovers, type Weighing } from '../policy/index.js';
import type { GateGrant } from './gate.js';

/**
 * A grant that covers this call. One for the whole tool comes first: it costs nothing to check.
 * A call with a dynamic part is not covered by it while some rule denies or asks about certain arguments of this tool:
 * nobody can tell that the part is not just that.
 */
export function findGrant(grants: readonly GateGrant[], { unclear, prepared }: Weighing): GateGrant | undefined {
  const whole = unclear === undefined ? grants.find(({ pattern }) => pattern === undefined) : undefined;
  return whole ?? grants.find(({ pattern }) => pattern !== undefined && patternCovers(pattern, prepared));
}

/** Which ask rules no grant was given for. Every one needs its own answer; a grant given before the rule is none. */
export function findAnswers(
  grants: readonly GateGrant[],
  weighing: Weighing,
): { unanswered: readonly string[]; answeredBy: GateGrant | undefined } {
  let answeredBy: GateGrant | undefined;
  const unanswered = weighing.asks.filter((rule) => {
    const answer = findGrant(
      grants.filter(({ answeredRule }) => answeredRule === rule),
      weighing,
    );
    answeredBy ??= answer;
    return answer === undefined;
  });
  return { unanswered, answeredBy };
}
