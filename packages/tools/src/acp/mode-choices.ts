import type { NewSessionResponse, SessionConfigOption } from '@agentclientprotocol/sdk';
import { isAutomaticMode } from '@countersign/protocol';

/** Modes in which the known agents ask before each change, the most careful one first. */
const CAREFUL = ['read-only', 'default', 'ask'] as const;

/** A choice between modes that an agent offers. */
export interface ModeChoice {
  /** Set if it is a configuration option. */
  readonly configId?: string;
  readonly current: string;
  readonly ids: readonly string[];
}

/** Agents offer modes as such, as configuration options, or both. The same modes in both count once. */
export function modeChoices(
  { modes, configOptions }: Pick<NewSessionResponse, 'modes' | 'configOptions'>,
  program: string,
): readonly ModeChoice[] {
  const offered = configuredModes(configOptions, program);
  if (modes === undefined || modes === null) return offered;
  const ids = modes.availableModes.map(({ id }) => id);
  const isSame = (other: ModeChoice): boolean =>
    other.ids.length === ids.length && ids.every((id) => other.ids.includes(id));
  return [{ current: modes.currentModeId, ids }, ...offered.filter((choice) => !isSame(choice))];
}

/** The configuration options that choose a mode. */
function configuredModes(
  options: readonly SessionConfigOption[] | null | undefined,
  program: string,
): readonly ModeChoice[] {
  return (options ?? []).flatMap((option) => {
    if (option.type !== 'select') return [];
    const { id: configId, category, currentValue: current } = option;
    // "auto" may also mean a model or a language.
    const isMode =
      category === 'mode' || configId === 'mode' || (current !== 'auto' && isAutomaticMode(current, program));
    if (!isMode) return [];
    const values = option.options.flatMap((each) => ('options' in each ? each.options : [each]));
    return [{ configId, current, ids: values.map(({ value }) => value) }];
  });
}

/** The configuration option with which the agent is in a mode without questions. */
export function automaticChoice(options: readonly SessionConfigOption[], program: string): ModeChoice | undefined {
  return configuredModes(options, program).find(({ current }) => isAutomaticMode(current, program));
}

/**
 * The mode to set for each choice at the start of a session: the one that the settings name, or one in which the agent asks. Choices whose current
 * mode stays are left out. Throws if there is no such mode.
 */
export function carefulModes(
  choices: readonly ModeChoice[],
  { mode: wanted, program }: { mode: string | undefined; program: string },
): readonly { choice: ModeChoice; id: string }[] {
  if (wanted !== undefined && !choices.some(({ ids }) => ids.includes(wanted))) {
    const all = choices.flatMap(({ ids }) => ids);
    const known = all.length === 0 ? 'It has none.' : `It has ${all.join(', ')}.`;
    throw new Error(`The agent has no mode "${wanted}". ${known} Change the agent's mode.`);
  }
  return choices.flatMap((choice) => {
    const { current, ids } = choice;
    const id = [wanted, ...CAREFUL].find((each) => each !== undefined && ids.includes(each)) ?? current;
    if (id === current && isAutomaticMode(current, program))
      throw new Error(
        `The agent starts in the mode "${current}", in which it runs calls without asking. Choose another mode for it: ${ids.join(', ')}.`,
      );
    return id === current ? [] : [{ choice, id }];
  });
}
