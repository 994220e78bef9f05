import type { Answer } from './answer.js';
import type { Asked } from './approval-panel.js';
/** Sends answers. Resolves to whether this one was taken; what went wrong is said, and the card stays. */
export declare function useAnswer(): {
    decide: (asked: Asked, answer: Answer) => Promise<boolean>;
    reply: (asked: Asked, words: string) => Promise<boolean>;
};
