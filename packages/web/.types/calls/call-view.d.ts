import type { ReactElement } from 'react';
/** What will run, as it will run. `preview` is what the tool says it would change. */
export declare function CallView({ toolName, args, preview, }: {
    toolName: string;
    args: unknown;
    preview?: string | undefined;
}): ReactElement;
