import type { Agent } from '@countersign/protocol';
/** What stands over an empty composer. */
export declare function suggestionsFor(agents: readonly Agent[]): readonly string[];
