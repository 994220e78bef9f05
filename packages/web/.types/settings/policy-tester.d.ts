import { type ReactElement } from 'react';
/** "What would happen to…": the very gate that decides is asked, with the rules as they stand in the editor. */
export declare function PolicyTester({ worldId, rules }: {
    worldId: string;
    rules: readonly string[] | undefined;
}): ReactElement;
