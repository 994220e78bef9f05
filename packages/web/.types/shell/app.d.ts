import { type ReactElement } from 'react';
/** One client and one cache for the page, once it is known who looks at it. */
export declare function App(): ReactElement;
