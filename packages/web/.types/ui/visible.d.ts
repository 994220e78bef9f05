import { type ReactElement } from 'react';
/** Text from outside, with what can't be seen shown by its number. */
export declare function Visible({ text, strict }: {
    text: string;
    strict?: boolean;
}): ReactElement;
