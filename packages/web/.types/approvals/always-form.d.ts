import { type ReactElement } from 'react';
/** A call of this chat that a rule would have let through. */
export interface Matched {
    id: string;
    line: string;
}
/** Shows the rule that "always" writes, lets it be changed, and says what else in this chat it would have let through. */
export declare function AlwaysForm({ proposed, matches, disabled, onSign, onCancel, }: {
    proposed: string;
    matches?: ((rule: string) => Promise<readonly Matched[]>) | undefined;
    disabled: boolean;
    onSign: (rule: string) => void;
    onCancel: () => void;
}): ReactElement;
