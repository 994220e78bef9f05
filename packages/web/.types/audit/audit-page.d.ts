import { type ReactElement } from 'react';
/** Who signed what, when, from where and by which rule. */
export default function AuditPage(): ReactElement;
