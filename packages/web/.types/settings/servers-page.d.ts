import { type ReactElement } from 'react';
/** Where tools come from besides our own. */
export default function ServersPage(): ReactElement;
