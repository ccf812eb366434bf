import assert from "node:assert/strict";
import { isPrivateHost, isPrivateIp, judgeAddress } from "../../../src/extension/fetching/address.ts";

const hostOf = (text: string) => new URL(text).hostname;

describe("an address to fetch", () => {
  it("is taken as the URL standard reads it, without its fragment", () => {
    const { url, host, isPrivate, concerns } = judgeAddress("HTTPS://Example.COM:8443/a b?q=1#part");
    assert.equal(url.href, "https://example.com:8443/a%20b?q=1");
    assert.deepEqual([host, isPrivate, concerns], ["example.com:8443", false, []]);
  });

  for (const text of ["", "example.com", "//example.com", "https://", "http://a b/", "http://[::1"]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => judgeAddress(text), { name: "ToolError", message: /is no address/ });
    });
  }

  for (const text of [
    "file:///etc/passwd",
    "ftp://x.test/",
    "data:text/html,x",
    "javascript:1",
    "vscode://x",
    "ws://x.test",
  ]) {
    it(`refuses ${text}`, () => {
      assert.throws(() => judgeAddress(text), { name: "ToolError", message: /Only http and https/ });
    });
  }

  it("85 names the real host beside a user name, and sends none", () => {
    const { url, host, concerns } = judgeAddress("https://github.com:secret@evil.test/x");
    assert.deepEqual([url.href, host], ["https://evil.test/x", "evil.test"]);
    assert.match(concerns.join(), /contains a user name or password, which is not sent\. The host is evil\.test\./);
  });

  it("85 names the real host where backslashes hide it", () => {
    const { host, concerns } = judgeAddress("https://evil.test\\@github.com/");
    assert.equal(host, "evil.test");
    assert.match(concerns.join(), /backslashes\. The host is evil\.test\./);
  });

  it("85 shows letters of other scripts for what they are", () => {
    const { host, concerns } = judgeAddress("https://аpple.com/");
    assert.equal(host, "xn--pple-43d.com");
    assert.match(concerns.join(), /xn--pple-43d\.com is shown as аpple\.com/);
  });

  it("85 says what is odd about the way that it is written", () => {
    for (const text of [
      "https:evil.com",
      "https:///evil.com",
      "https://good.com\t.evil.com/",
      "https://ⓔxample.com/",
    ]) {
      assert.match(judgeAddress(text).concerns.join(), /unusual way/, text);
    }
    assert.match(judgeAddress("https://example.com:6379/").concerns.join(), /6379/);
    for (const text of ["https://example.com/a?b=c%20d", "http://example.com:8080/", "HTTPS://Example.com"]) {
      assert.deepEqual(judgeAddress(text).concerns, [], text);
    }
  });

  it("is judged against the page that leads to it", () => {
    assert.equal(judgeAddress("../b", new URL("https://x.test/a/c")).url.href, "https://x.test/b");
  });
});

describe("85 a private host", () => {
  const privateHosts = [
    ...["http://localhost/", "http://LOCALHOST./", "http://app.localhost/", "http://nas.local/", "http://wiki.corp/"],
    ...["http://router/", "http://metadata.google.internal/", "http://box.home.arpa/", "http://printer.lan/"],
    ...["http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/"],
    ...["http://①②⑦.0.0.1/", "http://0/", "http://10.1.2.3/", "http://172.16.0.1/", "http://172.31.255.255/"],
    ...[
      "http://192.168.1.1/",
      "http://169.254.169.254/",
      "http://168.63.129.16/metadata",
      "http://100.64.0.1/",
      "http://198.18.0.1/",
      "http://224.0.0.1/",
    ],
    ...["http://255.255.255.255/", "http://[::1]/", "http://[::]/", "http://[fe80::1]/", "http://[fd00::1]/"],
    ...["http://[::ffff:127.0.0.1]/", "http://[::ffff:a00:1]/", "http://[::127.0.0.1]/", "http://[64:ff9b::a00:1]/"],
    ...["http://kubernetes.default.svc/", "http://metadata.goog/", "http://vault.service.consul/", "http://fritz.box/"],
    ...["http://127.0.0.1.nip.io/", "http://10-0-0-1.evil.com/", "http://7f000001.evil.com/", "http://a.lvh.me/"],
    ...["http://192.88.99.1/", "http://[3fff::1]/", "http://[5f00::1]/", "http://[2001:2::1]/", "http://box.x.ts.net/"],
    ...["http://[2002:7f00:1::]/", "http://[ff02::1]/", "http://[fec0::1]/", "http://[::ffff:0:127.0.0.1]/"],
  ];
  for (const text of privateHosts) {
    it(`is ${text}`, () => assert.equal(isPrivateHost(hostOf(text)), true));
  }

  const publicHosts = [
    ...["http://example.com/", "http://localhost.example.com/", "http://local.dev/", "http://8.8.8.8/"],
    ...["http://172.32.0.1/", "http://100.128.0.1/", "http://[2606:4700::1111]/", "http://[::ffff:8.8.8.8]/"],
  ];
  for (const text of publicHosts) {
    it(`is not ${text}`, () => assert.equal(isPrivateHost(hostOf(text)), false));
  }

  it("is anything that is no IP address where one is due", () => assert.equal(isPrivateIp("nonsense"), true));
});
