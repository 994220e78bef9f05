import type { ApprovalView, Invocation, OutputTail } from '@countersign/client';
import { type ReactElement } from 'react';
export interface ToolCardProps {
    invocation: Invocation;
    approval: ApprovalView | undefined;
    output: OutputTail | undefined;
    /** `1 of 2` while it waits. */
    place?: string | undefined;
    me?: string | undefined;
    onReview?: (() => void) | undefined;
}
/** One call, in one place, through its whole life. Folded unless it runs, failed or is opened. */
export declare function ToolCard({ invocation, approval, output, place, me, onReview }: ToolCardProps): ReactElement;
