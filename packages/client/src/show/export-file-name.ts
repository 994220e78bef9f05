import { slug, type ExportFormat } from '@countersign/protocol';

const LONGEST = 60;

/** The file name of an exported chat. */
export function exportFileName(title: string, format: ExportFormat): string {
  return `${slug(title, 'chat').slice(0, LONGEST)}.${format}`;
}
