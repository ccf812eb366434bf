/** What plain `npm test` leaves to `npm test -- all`: tests that repeat at full scale what others show smaller. */

/** Read by the tests themselves. */
const variable = "ARBOR_TEST_ALL";

/** The parts of which something is left out. */
const smaller = ["unit", "host", "ui"];

/** What is left out, and what shows the same smaller. */
const leftOut = [
  "20 of 30 rounds of typing among agents, 35 of 50 kills of a process that writes, 12 of 20 of one that runs agents, 14 of 20 of isolated writers",
  "searches in 50,000 files (15,000 are searched, and found by age in 100,000)",
  "npm start -- --headless on a made-up workspace (the sample workspace is driven)",
];

/**
 * @param {boolean} isAsked everything was asked for by name
 * @param {ReadonlySet<string>} wanted the parts that run
 */
export function chooseScale(isAsked, wanted) {
  process.env[variable] = isAsked ? "1" : "0";
  const isWhole = isAsked || !smaller.some((part) => wanted.has(part));
  return { note: isWhole ? undefined : `Left out: ${leftOut.join("; ")}. \`npm test -- all\` runs them too.` };
}
