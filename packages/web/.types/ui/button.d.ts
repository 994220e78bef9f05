import type { ButtonHTMLAttributes, ReactElement, Ref } from 'react';
import { type IconName } from './icon.js';
export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger' | 'amber';
export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
    look?: ButtonLook;
    icon?: IconName;
    size?: 'normal' | 'small';
    ref?: Ref<HTMLButtonElement>;
}
/** `type` is `button` unless said: one that submits by accident would sign or save what nobody meant to. */
export declare function Button({ look, icon, size, className, children, ...rest }: ButtonProps): ReactElement;
/** A button that shows only a drawing. Its name is for those who can't see it, and for the tooltip. */
export declare function IconButton({ icon, label, className, ...rest }: Omit<ButtonProps, 'look' | 'size' | 'children'> & {
    icon: IconName;
    label: string;
}): ReactElement;
