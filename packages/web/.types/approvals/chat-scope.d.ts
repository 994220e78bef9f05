import type { ReactElement } from 'react';
/** Says how far "for this chat" reaches before it is chosen (A5), and offers to make it narrower. */
export declare function ChatScope({ toolName, agentName, pattern, narrow, onNarrow, }: {
    toolName: string;
    agentName: string;
    pattern: string | undefined;
    narrow: boolean;
    onNarrow: (narrow: boolean) => void;
}): ReactElement;
