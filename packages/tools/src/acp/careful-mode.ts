import { isAutomaticMode } from '@countersign/protocol';

/** Modes in which the known agents ask before each change, the most careful one first. */
const CAREFUL = ['read-only', 'default', 'ask'] as const;

interface Modes {
  readonly currentModeId: string;
  readonly availableModes: readonly { readonly id: string }[];
}

/**
 * The mode to set at the start of a session: the one that the settings name, or one in which the agent asks. Undefined if the agent's own default
 * stays. Throws if there is no such mode.
 */
export function carefulMode(modes: Modes | null | undefined, wanted: string | undefined): string | undefined {
  const ids = modes?.availableModes.map(({ id }) => id) ?? [];
  if (wanted !== undefined) {
    if (ids.includes(wanted)) return wanted;
    const known = ids.length === 0 ? 'It has none.' : `It has ${ids.join(', ')}.`;
    throw new Error(`The agent has no mode "${wanted}". ${known} Change the agent's mode.`);
  }
  if (modes === undefined || modes === null) return undefined;
  const careful = CAREFUL.find((id) => ids.includes(id));
  if (careful !== undefined) return careful;
  if (isAutomaticMode(modes.currentModeId))
    throw new Error(
      `The agent starts in the mode "${modes.currentModeId}", in which it runs calls without asking. Choose another mode for it: ${ids.join(', ')}.`,
    );
  return undefined;
}
