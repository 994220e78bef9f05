import { describe, expect, it } from 'vitest';
import { AGENT_TEMPLATE_NAMES, AGENT_TEMPLATES, agentsFromTemplate } from './agent-templates.js';
import { newAgentSchema } from './agents.js';

const model = { provider: 'openai', model: 'm' };

describe.each(AGENT_TEMPLATE_NAMES)('[WORLD13] the template %s', (template) => {
  it('makes valid agents whose prompts name each other', () => {
    for (const taken of [[], ['planner', 'WORKER', 'worker2', 'Reviewer']]) {
      const agents = agentsFromTemplate(template, { ...model, taken });
      expect(agents.map((agent) => newAgentSchema.safeParse(agent).success)).not.toContain(false);
      for (const { name, systemPrompt } of agents) {
        expect(taken.map((each) => each.toLowerCase())).not.toContain(name.toLowerCase());
        expect(systemPrompt).not.toMatch(/[{}]/);
      }
    }
  });

  it('includes the read-only file tools, but never all tools', () => {
    for (const { tools } of AGENT_TEMPLATES[template].agents) {
      expect(tools).toEqual(expect.arrayContaining(['list_files', 'read_file', 'grep']));
      expect(tools).not.toContain('*');
    }
  });
});

it('[WORLD13] adds a number to a taken name, including in its mentions', () => {
  const [planner, worker] = agentsFromTemplate('planner-and-worker', { ...model, taken: ['worker'] });
  expect(worker).toMatchObject({ name: 'Worker2', provider: 'openai', model: 'm' });
  expect(planner?.systemPrompt).toContain('@Worker2');
});
