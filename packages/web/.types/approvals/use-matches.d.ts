import type { Matched } from './always-form.js';
import type { Asked } from './approval-panel.js';
/** Asks the server's own gate which other calls of this chat a rule would have let through: a second opinion here could differ. */
export declare function useMatches(): ((asked: Asked, rule: string) => Promise<readonly Matched[]>) | undefined;
