/** What the demo can do, for whoever asks for something else. */
export const introduction = `I am the demo model: rules, not a language model. I work offline with the same tools, agents and approvals as a real model, and I can do a few things:

- **Find a place**: “Where is the price computed?”, “Where is \`formatPrice\` used?”
- **Replace a name or a text**: “replace \`formatPrice\` with \`formatMoney\`”, “rename total to sum in src/cart.ts”
- **Fix a TODO** that follows a simple pattern, like “return 0 when the list is empty”: “fix the TODO in src/cart.ts”
- **Show what is there**: “explain src/cart.ts” lists what a file declares, “show me around” the project

For anything else, choose a language model.`;

/** In a workspace that is not trusted, agents get no tools. */
export const withoutTools = `I am the demo model: rules, not a language model. I have no tools to look into this workspace, so there is nothing that I can do here. Open a folder and trust it, then ask again.`;
