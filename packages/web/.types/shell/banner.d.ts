import type { Connection } from '@countersign/client';
import type { ReactElement } from 'react';
/** How the stream stands. It lies over the page rather than pushing it: nothing moves under the pointer. */
export declare function Banner({ connection, onRetry }: {
    connection: Connection;
    onRetry: () => void;
}): ReactElement;
