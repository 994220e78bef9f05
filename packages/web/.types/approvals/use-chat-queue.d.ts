import type { Asked } from './approval-panel.js';
/** The questions of the chat that is looked at. */
export declare function useChatQueue(): {
    queue: readonly string[];
    find: (id: string) => Asked | undefined;
};
