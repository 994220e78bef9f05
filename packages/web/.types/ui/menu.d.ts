import type { ReactElement, ReactNode } from 'react';
import { type IconName } from './icon.js';
export interface MenuEntry {
    label: string;
    icon?: IconName;
    danger?: boolean;
    checked?: boolean;
    onSelect: () => void;
}
/** `modal` is off: the lock it puts on scrolling is a style element, which our content policy refuses. */
export declare function Menu({ trigger, entries, align, }: {
    trigger: ReactNode;
    entries: readonly MenuEntry[];
    align?: 'start' | 'end';
}): ReactElement;
