import { type ReactElement } from 'react';
/** Code in colours. Loaded only when there is some: the languages are larger than the rest of the page. */
declare const Highlighted: import("react").MemoExoticComponent<({ language, text }: {
    language: string;
    text: string;
}) => ReactElement>;
export default Highlighted;
