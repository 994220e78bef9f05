import type { ApprovalView } from '@countersign/client';
import { type ReactElement, type ReactNode } from 'react';
/** A question, with what is needed to show and answer it. */
export interface Asked {
    worldId: string;
    agentName: string;
    approval: ApprovalView;
}
export interface ApprovalPanelProps {
    /** Ids of those that wait, oldest first. */
    queue: readonly string[];
    /** Also finds those that were decided, for as long as they are known. */
    find: (id: string) => Asked | undefined;
    /** Asked for from elsewhere, such as a card in the transcript. A new object each time. */
    wanted?: {
        id: string;
    } | undefined;
    onEmpty?: (() => void) | undefined;
    /** More about the one that is shown. */
    about?: (asked: Asked) => ReactNode;
}
/** The questions of one place: one in full, the others in a list to pick from (A12). */
export declare function ApprovalPanel({ queue, find, wanted, onEmpty, about }: ApprovalPanelProps): ReactElement | null;
