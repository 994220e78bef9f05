import type { ReactElement } from 'react';
/** What a call gave. */
export declare function ResultView({ result }: {
    result: unknown;
}): ReactElement | null;
