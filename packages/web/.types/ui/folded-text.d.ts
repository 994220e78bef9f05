import { type ReactElement } from 'react';
/**
 * Plain text of any length. Only a part is in the page until a person asks for more: ten megabytes in one line would hold it up
 * for seconds.
 */
export declare function FoldedText({ text, first, strict, className, }: {
    text: string;
    first?: number;
    strict?: boolean;
    className?: string;
}): ReactElement;
