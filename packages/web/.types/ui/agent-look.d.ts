export interface AgentLook {
    initials: string;
    hue: number;
}
/** One agent looks the same wherever it appears: both come from its id, and the letters from its name while it has one. */
export declare function agentLook(id: string, name?: string): AgentLook;
