import { FINANCE, type World } from './cast.js';

/** A call, as the rules see it. */
export interface ProposedCall {
  readonly world: World;
  readonly tool: 'touch' | 'write_file' | 'read_file' | 'put' | 'mcp__shore__stamp' | 'claude__Bash';
  readonly path?: string;
}

/** What must hold before a call runs. */
interface Need {
  /** How many people must sign. */
  readonly count: number;
  /** Only these people count. Undefined: everyone who may sign in the world. */
  readonly of?: readonly string[];
  /** The requester doesn't count, and has to be known. */
  readonly notRequester?: true;
}

type Verdict = 'denied' | Need;

const NOTHING: Need = { count: 0 };
const ONE: Need = { count: 1 };
const isHarmless = ({ tool }: ProposedCall): boolean => tool === 'read_file';
const byDefault = (call: ProposedCall, isAuto: boolean): Need =>
  isHarmless(call) || (isAuto && call.tool === 'write_file') ? NOTHING : ONE;

/** The rules that a world can have in a history, with their meaning in our own words. */
export interface Rules {
  readonly lines: readonly string[];
  need(call: ProposedCall, isAuto: boolean): Verdict;
}

export const NO_RULES: Rules = { lines: [], need: byDefault };

export const RULES: readonly Rules[] = [
  NO_RULES,
  { lines: ['ask * by not requester'], need: () => ({ count: 1, notRequester: true }) },
  { lines: ['ask * by 2 of @finance'], need: () => ({ count: 2, of: FINANCE }) },
  {
    lines: ['ask * by @finance not requester'],
    need: () => ({ count: 1, of: FINANCE, notRequester: true }),
  },
  {
    lines: ['allow touch', 'deny put'],
    need: (call, isAuto) =>
      call.tool === 'put' ? 'denied' : call.tool === 'touch' ? NOTHING : byDefault(call, isAuto),
  },
  {
    lines: ['ask write_file(./contracts/**) by 2 of @finance', 'deny touch'],
    need: (call, isAuto) =>
      call.tool === 'touch'
        ? 'denied'
        : call.path?.startsWith('contracts/') === true
          ? { count: 2, of: FINANCE }
          : byDefault(call, isAuto),
  },
];
