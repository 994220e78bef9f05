import { type ReactElement } from 'react';
export declare function CopyButton({ text, className }: {
    text: string;
    className?: string;
}): ReactElement;
