import type { Agent } from '@countersign/protocol';
import { type ReactElement } from 'react';
export interface ComposerProps {
    agents: readonly Agent[];
    worldName: string;
    draftKey: string;
    suggestions: readonly string[];
    /** Resolves to whether it was taken: what was typed stays when it was not. */
    onSend: (content: string) => Promise<boolean>;
}
/** Where a person writes. Enter sends, Shift+Enter begins a line, `@` at the start of one addresses an agent. */
export declare function Composer({ agents, worldName, draftKey, suggestions, onSend }: ComposerProps): ReactElement;
