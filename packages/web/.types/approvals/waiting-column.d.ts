import { type ReactElement } from 'react';
/** The column beside the transcript: what waits for a person, and the last turn over time. */
export declare function WaitingColumn({ wanted }: {
    wanted: {
        id: string;
    } | undefined;
}): ReactElement;
