import { type ReactElement } from 'react';
/** What somebody said. HTML in it is text; what can't be seen is shown by its number. */
export declare const Markdown: import("react").MemoExoticComponent<({ text }: {
    text: string;
}) => ReactElement>;
