import assert from "node:assert/strict";
import { createMask } from "../../../../src/extension/panel/replay/maskSecrets.ts";
import { pageData } from "../../../../src/extension/panel/replay/pageData.ts";
import type { LogEntry, TimedEntry } from "../../../../src/protocol/messages.ts";
import { chatLog } from "../../sessions/support/chatLog.ts";

const canary = "canary-5eafd00d";
/** The first bytes of each PNG, as base64. */
const pngStart = "iVBORw0KGgo";
const mask = createMask(["known-canary-1234", "abc"], {
  LAB_API_KEY: "environment-canary",
  PATH: "/usr/bin:/canary",
  HOME: "",
  SERVICE_PASSWORD: 'quoted"canary',
});

describe("the mask of an exported page", () => {
  const texts = [
    "It is known-canary-1234.",
    "echo environment-canary",
    `API_KEY=${canary}`,
    `export GITHUB_TOKEN="${canary}"`,
    `{"token": "${canary}", "safe": 1}`,
    `{\\"clientSecret\\": \\"${canary}\\"}`,
    `password: ${canary}`,
    `curl -H 'Authorization: Bearer ${canary}' https://lab.test`,
    `https://me:${canary}@lab.test/path`,
    `https://lab.test/?access_token=${canary}&page=2`,
    `tool --api-key ${canary} --fast`,
    `key sk-ant-${canary} and sk-${canary}`,
    `-----BEGIN RSA PRIVATE KEY-----\n${canary}\n-----END RSA PRIVATE KEY-----`,
    `-----BEGIN PRIVATE KEY-----\n${canary}`,
    "ghp_canarycanarycanary1234",
    `eyJcanary0.eyJcanary1.${canary}`,
    `const dbPassword = "${canary}";`,
    `password = "correct ${canary} battery, ${canary}"`,
    `{\\"password\\": \\"two ${canary}\\"}`,
    `tool --password "two ${canary}"`,
    `curl -u me:${canary} https://lab.test`,
    `Cookie: theme=dark; session=${canary}`,
    `Authorization: ${canary}`,
    `passphrase=${canary}`,
    JSON.stringify('echo quoted"canary'),
    `https://lab.test/?q=${encodeURIComponent('quoted"canary')}`,
    "AIzaSycanary0000000000000000000000000000",
    "sk_live_canary0000000000",
    "https://hooks.slack.com/services/T000/B000/canary",
  ];
  for (const text of texts) {
    it(`leaves nothing of ${JSON.stringify(text)}`, () => {
      const masked = mask(text);
      assert.doesNotMatch(masked, /canary/);
      assert.match(masked, /•••/);
    });
  }

  it("takes no longer than the text is long", function () {
    // Where it took the square of that, it would be hours.
    this.timeout(120_000);
    for (const part of [
      "a",
      "-",
      "token",
      "://",
      "eyJa",
      "-----BEGIN PRIVATE KEY-----",
      "--a",
      "eyJaaaaaa-",
      'token="',
      "cookie: a",
      "-u a",
    ]) {
      assert.ok(mask(part.repeat(200_000)).length > 0);
    }
  });

  it("masks a password that is a number", () => {
    assert.equal(mask("PASSWORD=12345678, maxTokens=8000"), "PASSWORD=•••, maxTokens=8000");
  });

  it("names the home folder without the user, however it is written", () => {
    const inLinux = createMask([], {}, "/home/mary ann");
    assert.equal(inLinux("cd '/home/mary ann/shop' && ls \"/home/mary ann\""), "cd '~/shop' && ls \"~\"");
    assert.equal(inLinux("file:///home/mary%20ann/shop"), "file://~/shop");
    assert.equal(inLinux("/home/mary anna /srv/home/mary ann"), "/home/mary anna /srv/home/mary ann");
    const inWindows = createMask([], {}, "C:\\Users\\mary");
    assert.equal(inWindows("c:\\Users\\mary\\shop C:/Users/mary/shop"), "~\\shop ~/shop");
    assert.equal(inWindows(JSON.stringify("C:\\Users\\mary\\shop")), '"~\\\\shop"');
    assert.equal(createMask([], {}, "/")("/usr/bin"), "/usr/bin");
  });

  it("leaves words, code and counts as they are", () => {
    const plain = [
      "The token is checked, the password is not.",
      "function login(token: string, password: string) {",
      "maxTokens: 8000, tokens: 123456",
      "const token = readToken(settings);",
      "abc is too short to be looked for, /canary is no secret",
      "https://lab.test/path?page=2",
    ];
    for (const text of plain) assert.equal(mask(text), text);
  });
});

describe("the data of an exported page", () => {
  const timed = (entries: readonly LogEntry[]): TimedEntry[] => entries.map((entry) => ({ at: 5, entry }));

  it("masks texts wherever they are, also by the name of a property", async () => {
    const { entries } = chatLog().run(`API_KEY=${canary}`, [
      { text: `password: ${canary}`, calls: [{ prints: [`TOKEN=${canary}`] }] },
    ]);
    const call: LogEntry = {
      ...{ seq: 9_999 },
      agent: {
        ...{ agent: { id: "root", depth: 0 }, sessionId: "s", runId: "r", seq: 1, timestamp: 1 },
        ...{ type: "tool_execution_start", callId: "call-9", toolName: "run_command" },
        args: { env: { LAB_TOKEN: canary }, nested: [{ password: canary }], "known-canary-1234": 1 },
      },
    } as LogEntry;
    const data = await pageData(timed([...entries, call]), mask);
    const text = JSON.stringify(data);
    assert.doesNotMatch(text, /canary/);
    assert.equal(data.entries.length, entries.length + 1);
    assert.equal(data.note, undefined);
    // What is distinguished by it stays.
    assert.deepEqual(
      data.entries.map(({ at, entry }) => [at, entry.seq]),
      [...entries, call].map(({ seq }) => [5, seq]),
    );
  });

  const callWith = (args: unknown, seq = 1) =>
    ({
      ...{ seq },
      agent: {
        ...{ agent: { id: "root", depth: 0 }, sessionId: "s", runId: "r", seq: 1, timestamp: 1 },
        ...{ type: "tool_execution_start", callId: "call-9", toolName: "run_command", args },
      },
    }) as LogEntry;

  it("masks keys over several lines of a diff, and leaves as many lines", async () => {
    const lines = ["safe", "-----BEGIN PRIVATE KEY-----", canary, "-----END PRIVATE KEY-----", "also safe"];
    const cut = [canary, "-----END RSA PRIVATE KEY-----", "safe again"];
    const hunks = [{ line: 1, oldLines: lines, newLines: cut }];
    const data = await pageData(timed([callWith({ files: [{ path: "key.pem", hunks }] })]), mask);
    assert.doesNotMatch(JSON.stringify(data), /canary|KEY/);
    assert.match(
      JSON.stringify(data),
      /\["safe","•••","•••","•••","also safe"\],"newLines":\["•••","•••","safe again"\]/,
    );
  });

  it("masks what a name in a list is for, and what is in something that is named as secret", async () => {
    const args = {
      argv: ["tool", "--api-key", canary, "--fast"],
      env: [
        { name: "LAB_TOKEN", value: canary },
        { key: "password", value: 12_345_678 },
      ],
      credentials: { user: canary, parts: [canary, { inner: canary }] },
      ...{ id: "known-canary-1234", type: `password=${canary}`, maxTokens: 8_000, password: 12_345_678 },
    };
    const text = JSON.stringify(await pageData(timed([callWith(args)]), mask));
    assert.doesNotMatch(text, /canary|12345678/);
    assert.match(text, /"--fast".*"maxTokens":8000/);
  });

  it("leaves ids apart that hold something secret", async () => {
    const calls = ["known-canary-1234", "known-canary-1234-b", "known-canary-1234"];
    const data = await pageData(timed(calls.map((callId, seq) => callWith({ callId }, seq))), mask);
    const ids = data.entries.map(({ entry }) => "agent" in entry && "args" in entry.agent && entry.agent.args);
    assert.deepEqual(ids[0], ids[2]);
    assert.notDeepEqual(ids[0], ids[1]);
    assert.doesNotMatch(JSON.stringify(data), /canary/);
  });

  it("takes for a picture only what can be one", async () => {
    const data = `${pngStart}QUJD`;
    const image = { type: "image", mimeType: "image/png", data };
    const disguised = [
      { ...image, caption: `password: ${canary}` },
      { ...image, mimeType: `API_KEY=${canary}` },
      { ...image, data: `API_KEY=${canary}` },
      { ...image, data: "ghp_canarycanarycanary1234" },
      { ...image, data: "knownCanary1234" },
      { credentials: { ...image, data: "canary" } },
    ];
    const knowing = createMask(["knownCanary1234"], {});
    const text = JSON.stringify(await pageData(timed([callWith([image, ...disguised])]), knowing));
    assert.doesNotMatch(text, /canary/i);
    assert.ok(text.includes(JSON.stringify(image)));
  });

  it("masks a long line as far as it is shown", async () => {
    let read = 0;
    const counting = (value: string) => {
      read += value.length;
      return mask(value);
    };
    const lines = [`API_KEY=${canary} ${"a word ".repeat(500_000)}`, "short"];
    const text = JSON.stringify(await pageData(timed([callWith({ lines })]), counting));
    assert.ok(read < 100_000, `${read} letters`);
    assert.ok(text.length < 22_000, `${text.length}`);
    assert.doesNotMatch(text, /canary/);
  });

  it("leaves out all pictures of a page that would be too large, too", async () => {
    const picture = { type: "image", mimeType: "image/png", data: `${pngStart}${"A".repeat(390_000)}` };
    const data = await pageData(timed(Array.from({ length: 110 }, (_, seq) => callWith({ picture }, seq))), mask);
    assert.ok(JSON.stringify(data).length < 100_000);
    assert.match(data.note ?? "", /Large pictures are left out of this page: 110\./);
  });

  it("cuts a text in the middle of a secret, and shows no part of it", async () => {
    const secrets = [`API_KEY=${canary}`, `-----BEGIN PRIVATE KEY-----\n${"canary\n".repeat(200)}`];
    // At the end of what is shown, and at the end of what is read for it, with much before it that is masked.
    const starts = ["word ".repeat(3_999), `${"API_KEY=hidden-key-123456\n".repeat(500)}${"word ".repeat(5_498)}`];
    for (const start of starts) {
      for (const secret of secrets) {
        const data = await pageData(timed([callWith({ out: `${start}${secret}${" more".repeat(20_000)}` })]), mask);
        const text = JSON.stringify(data);
        assert.doesNotMatch(text, /canary|can\b|hidden/);
        assert.match(text, /word word/);
        assert.match(data.note ?? "", /Long texts are cut in this page: 1\./);
        assert.ok(text.length < 21_000, `${text.length}`);
      }
    }
  });

  it("lets others work while a large chat is masked", async () => {
    const calls = Array.from({ length: 400 }, (_, seq) => callWith({ out: "a word ".repeat(1_500) }, seq));
    let turns = 0;
    let isDone = false;
    const count = () => {
      if (isDone) return;
      turns++;
      setImmediate(count);
    };
    setImmediate(count);
    await pageData(timed(calls), mask);
    isDone = true;
    assert.ok(turns >= 10, `${turns} turns`);
  });

  it("cuts long texts and leaves out large pictures, and says so", async () => {
    const { entries } = chatLog().run("a".repeat(50_000), [{ text: "Seen." }]);
    const pictured: LogEntry = {
      ...{ seq: 9_999 },
      agent: {
        ...{ agent: { id: "root", depth: 0 }, sessionId: "s", runId: "r", seq: 1, timestamp: 1, type: "message_end" },
        message: {
          ...{ id: "m", role: "user", timestamp: 1 },
          content: [{ type: "image", mimeType: "image/png", data: `${pngStart}${"A".repeat(500_000)}` }],
        },
      },
    } as LogEntry;
    const data = await pageData(timed([...entries, pictured]), mask);
    const text = JSON.stringify(data);
    assert.ok(text.length < 100_000, `${text.length}`);
    assert.match(text, /30,?000 more characters are not in this page/);
    assert.match(text, /A picture is not in this page/);
    assert.match(
      data.note ?? "",
      /Long texts are cut in this page: \d+\. Large pictures are left out of this page: 1\./,
    );
  });
});
