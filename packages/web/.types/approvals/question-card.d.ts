import type { ApprovalView } from '@countersign/client';
import type { Question } from '@countersign/protocol';
import { type ReactElement } from 'react';
/** A question to be answered with words. Nothing is signed here; choices only fill the field. */
export declare function QuestionCard({ approval, question, agentName, place, onAnswer, onRefuse, }: {
    approval: ApprovalView;
    question: Question;
    agentName: string;
    place?: string | undefined;
    onAnswer: (words: string) => Promise<void>;
    onRefuse: () => Promise<void>;
}): ReactElement;
