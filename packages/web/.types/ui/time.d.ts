import { type ReactElement } from 'react';
/** The time, renewed each second. */
export declare function useNow(): number;
export declare function Ago({ at }: {
    at: string;
}): ReactElement;
export declare function Clock({ at }: {
    at: string;
}): ReactElement;
/** How long something has been going on. */
export declare function Running({ since }: {
    since: string;
}): ReactElement;
/** How much is left. */
export declare function Until({ at }: {
    at: string;
}): ReactElement;
