import { type ReactElement } from 'react';
/** Finds the world to show and keeps its one stream open, whichever page is looked at. */
export declare function Home({ onRefused }: {
    onRefused: () => void;
}): ReactElement;
