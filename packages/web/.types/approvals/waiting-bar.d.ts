import { type ReactElement } from 'react';
/** For phones: a bar that says how many wait. The cards slide up from it when it is touched, never by themselves. */
export declare function WaitingBar({ wanted }: {
    wanted: {
        id: string;
    } | undefined;
}): ReactElement;
