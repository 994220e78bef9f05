import { type ReactElement } from 'react';
export default function PolicyPage(): ReactElement;
