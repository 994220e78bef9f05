import type { ReactElement } from 'react';
/** The calls of one message, one card each. */
export declare function Calls({ ids }: {
    ids: readonly string[];
}): ReactElement;
