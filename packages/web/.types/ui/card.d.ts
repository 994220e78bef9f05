import type { HTMLAttributes, ReactElement } from 'react';
export declare function Card({ className, ...rest }: HTMLAttributes<HTMLDivElement>): ReactElement;
/** What stands where nothing is yet: says what to do next. */
export declare function Empty({ title, children }: {
    title: string;
    children?: React.ReactNode;
}): ReactElement;
