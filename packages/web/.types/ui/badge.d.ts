import type { ReactElement, ReactNode } from 'react';
import { type IconName } from './icon.js';
export type Tone = 'neutral' | 'blue' | 'amber' | 'green' | 'red';
/** A state: a word with its drawing and colour, never the colour alone. */
export declare function Badge({ tone, icon, children, className, }: {
    tone?: Tone;
    icon?: IconName;
    children: ReactNode;
    className?: string;
}): ReactElement;
/** How many wait. Says so in words to whoever can't see where it stands. */
export declare function Count({ value, of }: {
    value: number;
    of: string;
}): ReactElement | null;
