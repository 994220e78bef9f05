import type { ReactElement } from 'react';
/** The mark: a short signature stroke over a line. */
export declare function Mark({ className }: {
    className?: string;
}): ReactElement;
/** The line an approval card ends in. Unsigned it is empty; signed, it says who, when and how far it reaches. */
export declare function SignatureLine({ signed, children }: {
    signed: boolean;
    children?: React.ReactNode;
}): ReactElement;
