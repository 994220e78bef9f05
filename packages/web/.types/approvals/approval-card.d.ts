import type { ApprovalView } from '@countersign/client';
import { type ReactElement } from 'react';
import { type Matched } from './always-form.js';
import { type Answer } from './answer.js';
export interface ApprovalCardProps {
    approval: ApprovalView;
    agentName: string;
    /** Its place among those that wait, such as `1 of 3` (A12). */
    place?: string | undefined;
    /** Resolves when the answer was taken; what went wrong is told elsewhere. */
    onAnswer: (answer: Answer) => Promise<void>;
    onNext?: (() => void) | undefined;
    /** What the rule would have matched in this chat. */
    matches?: ((rule: string) => Promise<readonly Matched[]>) | undefined;
    /** Moves the focus here when it appears: after the card before it was answered by keyboard. */
    takeFocus?: boolean;
}
/** One question about one call. Deny comes first and is never further than approve; nothing here has a default. */
export declare function ApprovalCard({ approval, agentName, place, onAnswer, onNext, matches, takeFocus, }: ApprovalCardProps): ReactElement;
