import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChatGrants } from "../../../src/extension/approvals/chatGrants.ts";
import type { CommandPermission } from "../../../src/extension/approvals/permission.ts";
import { PermissionQueue } from "../../../src/extension/approvals/permissionQueue.ts";
import { judgeRequest, type RuleContext, rulesToOffer } from "../../../src/extension/approvals/permissionRules.ts";
import { SandboxGrant } from "../../../src/extension/approvals/sandboxGrant.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { emptyHostState, reduceHost } from "../../../src/protocol/hostState.ts";

/** What agents run while they find their way, change something and check it: forty commands of one day. */
const day = `git status --short
ls
git log --oneline -5
rg -n "formatPrice" src
cat package.json
npm test
sed -n 1,80p src/money.ts
git diff
npx tsc --noEmit
npm test
wc -l src/money.ts
git diff --stat
rg -n "TODO" src test | head -20
find . -name "*.test.ts" -not -path "./node_modules/*"
npm test
git show HEAD --stat
head -40 test/money.test.ts
npx tsc --noEmit
npm test && npx tsc --noEmit
git blame src/money.ts
npm run lint
tail -20 README.md
git diff HEAD~1 -- src
npm test
npm run lint
npm test 2>&1 | tail -20
git branch --show-current
grep -rn "cents" src
npx tsc --noEmit
npm run lint
du -sh src
git status
npm test
diff src/money.ts test/money.test.ts
node --version
npm test
git diff --cached
npx tsc --noEmit && npm run lint
npm test
git log -1`.split("\n");

describe("a day's work of forty commands", () => {
  let folder = "";
  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "arbor-day-")));
    execFileSync("git", ["init", "-q", folder]);
    for (const name of ["src", "test"]) await mkdir(join(folder, name));
    for (const file of ["src/money.ts", "test/money.test.ts", "package.json", "README.md"])
      await writeFile(join(folder, file), "{}\n");
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** How often a user is asked who allows each kind of command once and for all; a rule where one is on offer. */
  async function questions(sandbox: "inside" | undefined): Promise<string[]> {
    const allow: string[] = [];
    const context = (): RuleContext => ({ rules: { allow, ask: [], deny: [] }, roots: [folder], shell: "bash" });
    let ids = 0;
    const newId = () => `question-${++ids}`;
    const queue = new PermissionQueue({
      ...{ newId, agentPath: () => ["main"], lineage: () => ["main"] },
      rules: {
        judge: (request) => judgeRequest(request, context()),
        offer: (request) => rulesToOffer(request, context()),
        add: async (rules) => void allow.push(...rules),
      },
    });
    const events: HostEvent[] = [];
    const emit = (event: HostEvent) => void events.push(event);
    const grants = new ChatGrants({ emit, newId });
    const memory = new Map<string, unknown>();
    const get = (key: string) => memory.get(key);
    grants.share({ sandbox: new SandboxGrant({ get, update: async (key, value) => void memory.set(key, value) }) });
    const ask = queue.askFor({ id: "chat", emit, grants });
    const asked: string[] = [];
    for (const command of day) {
      const request: CommandPermission = {
        ...{ kind: "command", command, cwd: ".", folder, toolName: "run_command", callId: "c" },
        agent: { id: "main", name: "main", prefix: "main", depth: 0 },
        ...(sandbox && { sandbox }),
      };
      let isAnswered = false;
      const answer = ask(request, new AbortController().signal).finally(() => {
        isAnswered = true;
      });
      while (!isAnswered) {
        const open = events.reduce(reduceHost, emptyHostState()).approvals[0];
        if (open !== undefined) {
          asked.push(command);
          const scopes = open.scopes?.map(({ scope }) => scope) ?? [];
          const scope = (["workspace", "rule", "session"] as const).find((each) => scopes.includes(each));
          assert.ok(scope, `${command} can't be allowed for more than once`);
          queue.decide(open.id, "accepted", { scope });
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.deepEqual(await answer, { allowed: true });
    }
    return asked;
  }

  it("asks at most four times without the sandbox", async () => {
    assert.equal(day.length, 40);
    const asked = await questions(undefined);
    assert.ok(asked.length > 0 && asked.length <= 4, asked.join("\n"));
  });

  it("asks at most once with it", async () => {
    const asked = await questions("inside");
    assert.equal(asked.length, 1, asked.join("\n"));
  });
});
