import type { ReactElement, ReactNode } from 'react';
export declare function Tabs({ label, tabs, }: {
    label: string;
    tabs: readonly {
        value: string;
        label: string;
        content: ReactNode;
    }[];
}): ReactElement;
