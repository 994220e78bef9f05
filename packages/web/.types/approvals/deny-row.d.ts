import { type ReactElement } from 'react';
/** Deny, first in every state of a card, with room for a reason that the agent is told. */
export declare function DenyRow({ reason, disabled, onReason, onDeny, }: {
    reason: string;
    disabled: boolean;
    onReason: (reason: string) => void;
    onDeny: () => void;
}): ReactElement;
