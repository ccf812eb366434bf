import type { ModelSettings } from "./providerSettings.ts";

/** OpenAI's models are trained on its patch format, on any server. */
const patching = /(?:^|\/)(?:gpt-(?:[5-9]|[1-9]\d)|codex-)/;

/** How a model changes files as far as its name says; what is known of it wins. */
export function preferredEditTool(id: string): NonNullable<ModelSettings["editTool"]> {
  return patching.test(id) ? "apply_patch" : "edit_file";
}

/**
 * Well-known models, from the providers' own pages as of November 2026; what a provider answers when it is asked wins
 * over it. Sizes are tokens, prices USD per million tokens. A price that depends on the length of the prompt is not a
 * price we can show, so it is left out, as is everything else that is not known. How much they can be asked to think is
 * known of their families.
 */
export const wellKnownModels: Readonly<Record<string, readonly ModelSettings[]>> = {
  anthropic: [
    {
      id: "claude-opus-5-5",
      name: "Claude Opus 5.5",
      contextWindow: 1_000_000,
      maxOutput: 128_000,
      price: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
      images: true,
    },
    {
      id: "claude-sonnet-5-5",
      name: "Claude Sonnet 5.5",
      contextWindow: 1_000_000,
      maxOutput: 128_000,
      price: { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
      images: true,
    },
    {
      id: "claude-haiku-5-5",
      name: "Claude Haiku 5.5",
      contextWindow: 1_000_000,
      maxOutput: 128_000,
      images: true,
    },
    { id: "claude-fable-5-2", name: "Claude Fable 5.2", contextWindow: 1_000_000, maxOutput: 128_000, images: true },
    {
      id: "claude-fable-5-1",
      name: "Claude Fable 5.1",
      contextWindow: 1_000_000,
      maxOutput: 128_000,
      price: { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 },
      images: true,
    },
    {
      id: "claude-opus-5",
      name: "Claude Opus 5",
      contextWindow: 1_000_000,
      maxOutput: 128_000,
      price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
      images: true,
    },
    {
      id: "claude-haiku-4-5",
      name: "Claude Haiku 4.5",
      contextWindow: 200_000,
      maxOutput: 64_000,
      price: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
      images: true,
    },
  ],
  openai: [
    { id: "gpt-6.2-astra", name: "GPT-6.2 Astra", contextWindow: 1_050_000, maxOutput: 128_000 },
    { id: "gpt-6.2-sol", name: "GPT-6.2 Sol", contextWindow: 1_050_000, maxOutput: 128_000 },
    { id: "gpt-6-astra", name: "GPT-6 Astra", contextWindow: 1_050_000, maxOutput: 128_000, images: true },
    { id: "gpt-6-sol", name: "GPT-6 Sol", contextWindow: 1_050_000, maxOutput: 128_000, images: true },
    { id: "gpt-6-luna", name: "GPT-6 Luna", contextWindow: 1_050_000, maxOutput: 128_000, images: true },
    { id: "gpt-5.6-sol", name: "GPT-5.6 Sol", contextWindow: 1_050_000, maxOutput: 128_000, images: true },
    { id: "gpt-5.6-terra", name: "GPT-5.6 Terra", contextWindow: 1_050_000, maxOutput: 128_000, images: true },
  ],
};
