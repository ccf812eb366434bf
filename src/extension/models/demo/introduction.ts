/** What the demo can do, for whoever asks for something else. */
export const introduction = `I am the demo model: rules, not a language model. I work offline with the same tools, agents and approvals as a real model, and I can do three things:

- **Find a place**: “Where is the price computed?”, “Where is \`formatPrice\` used?”
- **Replace a name or a text**: “replace \`formatPrice\` with \`formatMoney\`”, “rename total to sum in src/cart.ts”
- **Fix a TODO** that follows a simple pattern, like “return 0 when the list is empty”: “fix the TODO in src/cart.ts”

For anything else, choose a language model.`;
