import type { ApprovalView } from '@countersign/client';
import type { ReactElement } from 'react';
/** Where it would run, why it is asked, what is masked, when it expires. */
export declare function Circumstances({ approval }: {
    approval: ApprovalView;
}): ReactElement;
