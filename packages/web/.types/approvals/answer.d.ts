import type { ToolDecision } from '@countersign/protocol';
/** What a person answers; which call it signs is added where it is sent. */
export type Answer = Omit<ToolDecision, 'tool_call_id' | 'callHash'>;
/** The argument pattern of a rule such as `allow shell_cmd(rm *.tmp)`; undefined when it has none. */
export declare function patternOf(rule: string): string | undefined;
/** Reads arguments a person edited. Words for the person when they are no JSON object. */
export declare function readArguments(text: string): {
    arguments: Record<string, unknown>;
} | {
    error: string;
};
/** `1 secret is masked`, from the numbered stand-ins in what is shown (A15). */
export declare function maskedCount(shown: string): number;
export declare function sandboxWords(sandbox: string): {
    words: string;
    safe: boolean;
};
export declare function verbFor(toolName: string): string;
