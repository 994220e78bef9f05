import type { AuditEntry } from '@countersign/protocol';
import type { Tone } from '../ui/badge.js';
import type { IconName } from '../ui/icon.js';
/** A record in a word, with its colour and drawing. */
export declare function lookOf({ kind, decision, scope }: AuditEntry): {
    words: string;
    tone: Tone;
    icon: IconName;
};
