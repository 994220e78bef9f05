import type { NewSessionResponse, SessionConfigOption, SessionUpdate } from '@agentclientprotocol/sdk';
import { isAutomaticMode } from '@countersign/protocol';
import { automaticChoice } from './mode-choices.js';

type Offered = Pick<NewSessionResponse, 'modes' | 'configOptions'>;

/** The modes that an agent reports in its updates. Only those in which it runs calls without asking matter. */
export interface ReportedModes {
  note(update: SessionUpdate): void;
  /** What the session offers, in the modes that were reported meanwhile. These reports are then forgotten. */
  applyTo(session: Offered): Offered;
  /** Forgets what was reported about configuration options. */
  forgetOptions(): void;
  /** The mode without questions that the agent reported last. */
  automatic(): string | undefined;
}

export function reportedModes(program: string): ReportedModes {
  let mode: string | undefined;
  let options: readonly SessionConfigOption[] | undefined;
  return {
    note(update) {
      if (update.sessionUpdate === 'current_mode_update')
        mode = isAutomaticMode(update.currentModeId, program) ? update.currentModeId : undefined;
      if (update.sessionUpdate === 'config_option_update')
        options = automaticChoice(update.configOptions, program) === undefined ? undefined : update.configOptions;
    },
    applyTo({ modes = null, configOptions = null }) {
      const offered: Offered = { modes, configOptions };
      if (options !== undefined) offered.configOptions = [...options];
      options = undefined;
      // Without a choice of modes, nothing can be set, so the report stays.
      if (modes === null || mode === undefined) return offered;
      offered.modes = { ...modes, currentModeId: mode };
      mode = undefined;
      return offered;
    },
    forgetOptions() {
      options = undefined;
    },
    automatic: () => mode ?? (options === undefined ? undefined : automaticChoice(options, program)?.current),
  };
}
