import { type ReactElement } from 'react';
export default function WorldPage(): ReactElement;
