import { type ReactElement, type ReactNode } from 'react';
interface DialogProps {
    title: string;
    onClose: () => void;
    children: ReactNode;
    /** `sheet` slides up from the lower edge, for phones; `side` from the left. */
    shape?: 'box' | 'sheet' | 'side';
}
/**
 * The browser's own modal dialog: it holds the focus, gives it back, closes on Escape and makes the page behind it inert without a
 * style element of its own, which our content policy would refuse.
 */
export declare function Dialog({ title, onClose, children, shape }: DialogProps): ReactElement;
export {};
