import type { ApprovalView } from '@countersign/client';
import type { ReactElement } from 'react';
/** A card after its decision: folded, with its story. It stays where it was until the person goes on. */
export declare function DecidedCard({ approval, agentName, me, onNext, nextWords, }: {
    approval: ApprovalView;
    agentName: string;
    me?: string | undefined;
    onNext?: (() => void) | undefined;
    nextWords?: string;
}): ReactElement;
