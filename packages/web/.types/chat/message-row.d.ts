import type { Agent } from '@countersign/protocol';
import type { Notice, Speaker, TranscriptMessage } from '@countersign/client';
import { type ReactElement, type ReactNode } from 'react';
export interface MessageRowProps {
    message: TranscriptMessage;
    agents: readonly Agent[];
    /** The words it answers, where they are not just above. */
    answers?: {
        id: string;
        who: string;
        words: string;
    } | undefined;
    onShow: (messageId: string) => void;
    notices: readonly Notice[];
    marked: boolean;
}
/** One line of the transcript: who, what, and the calls it made. */
export declare const MessageRow: import("react").MemoExoticComponent<({ message, agents, answers, onShow, notices, marked, }: MessageRowProps) => ReactElement>;
export declare function Spoken({ speaker, agents, at, usage, marked, children, }: {
    speaker: Speaker;
    agents: readonly Agent[];
    at?: string;
    usage?: TranscriptMessage['usage'];
    marked?: boolean;
    children: ReactNode;
}): ReactElement;
export declare function NoticeLine({ notice }: {
    notice: Notice;
}): ReactElement;
export declare function speakerName(speaker: Speaker, agents: readonly Agent[]): string;
