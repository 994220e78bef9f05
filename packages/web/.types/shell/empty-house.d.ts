import { type ReactElement } from 'react';
/** No world yet. */
export declare function EmptyHouse(): ReactElement;
