import type { ReactElement } from 'react';
export declare function ThemeSwitch(): ReactElement;
