import type { ChatState, WorldState } from '@countersign/client';
import type { UiState } from '../ui-state.js';
import type { Size } from './areas.js';
import type { Measured } from '../transcript/transcript-blocks.js';

/** Everything shown on the screen. */
export interface Scene {
  readonly ui: UiState;
  readonly world: WorldState;
  readonly chat: ChatState | undefined;
  readonly size: Size;
  readonly now: number;
  readonly suggestions: readonly string[];
  readonly measured: Measured;
  /** This person's name in decisions, once known. */
  readonly me: string | undefined;
}
