import { type InputHTMLAttributes, type ReactElement, type ReactNode, type SelectHTMLAttributes, type TextareaHTMLAttributes } from 'react';
interface Frame {
    label: string;
    hint?: ReactNode;
    error?: string | undefined;
}
export declare function TextField({ label, hint, error, mono, className, ...rest }: Frame & {
    mono?: boolean;
} & InputHTMLAttributes<HTMLInputElement>): ReactElement;
export declare function TextArea({ label, hint, error, mono, className, ...rest }: Frame & {
    mono?: boolean;
} & TextareaHTMLAttributes<HTMLTextAreaElement>): ReactElement;
export declare function Select({ label, hint, error, options, className, ...rest }: Frame & {
    options: readonly {
        value: string;
        label: string;
    }[];
} & SelectHTMLAttributes<HTMLSelectElement>): ReactElement;
export declare function Checkbox({ label, hint, ...rest }: {
    label: ReactNode;
    hint?: ReactNode;
} & InputHTMLAttributes<HTMLInputElement>): ReactElement;
export {};
