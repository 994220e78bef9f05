import { type ReactElement } from 'react';
interface Toast {
    id: number;
    tone: 'neutral' | 'red' | 'green';
    text: string;
}
/** Says something in passing. What went wrong stays until it is closed: a person may be looking elsewhere. */
export declare function say(text: string, tone?: Toast['tone']): void;
/** Tells what went wrong in the words of whoever refused. */
export declare function sayError(error: unknown): void;
export declare function Toasts(): ReactElement;
export {};
