import { type ReactElement } from 'react';
/** Says that a message waits behind a question, and offers to clear the way (M11). */
export declare function WaitingNote(): ReactElement | null;
