import type { Choose, History, Step } from './history.js';
import { changePerson, changeWorld, createToken, reachOut } from './steps-of-admins.js';
import { decide, decideAll, read, rehearse, say, undo } from './steps-in-worlds.js';
import { callMcp, claim, endSession, propose, useCall } from './steps-outside.js';

const kill: Choose = ({ random, home }) => {
  const after = random.chance(0.3) ? 0 : 1 + random.below(12);
  return { text: `the process dies after ${after} steps`, act: async () => home.kill(after) };
};

const advance: Choose = ({ random, home }) => {
  const ms = random.pick([1_000, 1_000, 31_000, 61_000, 3_601_000, -20_000]);
  return { text: `${ms} ms pass`, isAlone: true, act: async () => home.clock.advance(ms) };
};

const STEPS: readonly (readonly [weight: number, Choose])[] = [
  [8, say],
  [14, decide],
  [4, decideAll],
  [7, propose],
  [7, claim],
  [4, useCall],
  [1, endSession],
  [3, read],
  [4, changeWorld],
  [1, reachOut],
  [2, createToken],
  [2, changePerson],
  [1, rehearse],
  [2, advance],
  [2, undo],
  [3, callMcp],
  [2, kill],
];
const TOTAL = STEPS.reduce((sum, [weight]) => sum + weight, 0);

/** The next step of a history, of this kind if one is given. */
export async function chooseStep(history: History, kind?: Choose): Promise<{ step: Step; kind: Choose } | undefined> {
  const chosen = kind ?? chooseKind(history);
  const step = await chosen(history);
  return step && { step, kind: chosen };
}

function chooseKind({ random }: History): Choose {
  let left = random.below(TOTAL);
  for (const [weight, choose] of STEPS) {
    if (left < weight) return choose;
    left -= weight;
  }
  return say;
}
