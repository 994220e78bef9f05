import type { Clock, McpAuthorizer, McpRecords } from '@countersign/core/ports';
import type { Connection } from '../connect-server.js';
import type { HideValues } from '../hide-values.js';
import type { Keeper } from './keep-running.js';
import type { CurrentServer } from './current-server.js';
import type { Diagnosis } from './diagnosis.js';
import type { PlaceOptions, ServerView } from './server-view.js';

export interface SupervisorOptions extends PlaceOptions {
  records: McpRecords;
  authorizer: McpAuthorizer;
  clock: Clock;
  connectMs: number;
  callMs: number;
  firstPauseMs: number;
  healthMs: number;
}

/** The parts of one supervisor. */
export interface Parts {
  readonly name: string;
  readonly options: SupervisorOptions;
  readonly current: CurrentServer;
  readonly diagnosis: Diagnosis;
  readonly view: ServerView;
  readonly keeper: Keeper<Connection>;
  readonly hidden: () => HideValues;
  /** Resolves when the changes that the connected server announced are listed. Replaced with each connection. */
  relisted: () => Promise<void>;
  readonly refuseIfOff: () => void;
}
