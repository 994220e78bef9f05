import type { ApprovalView } from '@countersign/client';
import { type ReactElement } from 'react';
/** Editing makes a new call of the same invocation (A7). What is masked can be moved or removed, not seen. */
export declare function EditForm({ approval, disabled, onApprove, onCancel, }: {
    approval: ApprovalView;
    disabled: boolean;
    onApprove: (args: Record<string, unknown>) => void;
    onCancel: () => void;
}): ReactElement;
