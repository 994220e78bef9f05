import { type ReactElement } from 'react';
import type { DiffLine } from './diff-lines.js';
export declare function DiffView({ path, lines }: {
    path?: string;
    lines: readonly DiffLine[];
}): ReactElement;
