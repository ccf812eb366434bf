// Prints what the prompts and tools cost before a chat has begun: characters and estimated tokens of each part.
import { estimatedTokens, patchTool, promptParts } from "../test/support/promptParts.ts";

for (const { name, systemPrompt, tools } of await promptParts()) {
  console.log(`\n${name}`);
  print("system prompt", systemPrompt.length, estimatedTokens(systemPrompt));
  for (const [, tag = "", text = ""] of systemPrompt.matchAll(/^<(\w+)>\n([\s\S]*?)\n<\/\1>$/gm)) {
    print(`  ${tag}`, text.length, estimatedTokens(text));
  }
  const all = tools.map(({ json }) => json).join("");
  print(`${tools.length} tools`, all.length, estimatedTokens(all));
  if (name === "main") {
    for (const tool of [...tools, patchTool()]) print(`  ${tool.name}`, tool.json.length, estimatedTokens(tool.json));
  }
  print("in all", systemPrompt.length + all.length, estimatedTokens(systemPrompt + all));
}

function print(what: string, characters: number, tokens: number): void {
  console.log(`  ${what.padEnd(24)}${String(characters).padStart(7)} characters${String(tokens).padStart(6)} tokens`);
}
