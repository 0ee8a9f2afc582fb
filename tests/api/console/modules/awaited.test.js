// Answers that are on their way.

import { press, textOf } from "./browser.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { begin, Session, session, signOut } from "../../../../api/console/page/core/session.js";
import { Awaited } from "../../../../api/console/page/parts/awaited.js";

// A question whose answers the test gives: `answers[0]({…})`.
function question() {
  const answers = [];
  const ask = (signal) =>
    new Promise((resolve, reject) => {
      answers.push({ resolve, reject });
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  return { answers, ask };
}
const drawn = (awaited) => textOf(awaited.view((value) => `answer ${value}`));

beforeEach(() => begin(new Session("key"), { scopes: ["read"] }));

test("an answer is drawn once it is there", async () => {
  const { answers, ask } = question();
  const roles = new Awaited("the roles", ask);
  assert.deepEqual([drawn(roles), roles.isBusy], ["", true]);
  answers[0].resolve("one");
  assert.equal(await roles.answer(), "one");
  assert.deepEqual([drawn(roles), roles.isBusy], ["answer one", false]);
});

test("a long wait is shown, and the user may give it up", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const roles = new Awaited("the roles", question().ask);
  context.mock.timers.tick(300);
  assert.equal(drawn(roles), "Reading the roles…");
  context.mock.timers.tick(9_700);
  press(roles.view(String), "Cancel");
  await assert.rejects(() => roles.asked.then(() => Promise.reject(roles.problem)), { name: "AbortError" });
  assert.match(drawn(roles), /Cancelled\. Try again/);
});

test("an answer that was asked again overtakes the first one", async () => {
  const { answers, ask } = question();
  const roles = new Awaited("the roles", ask);
  roles.again();
  answers[1].resolve("new");
  answers[0].resolve("old");
  assert.equal(await roles.answer(), "new");
});

test("the former answer stays until the new one is there", async () => {
  const { answers, ask } = question();
  const roles = new Awaited("the roles", ask);
  answers[0].resolve("one");
  await roles.asked;
  roles.again();
  assert.equal(drawn(roles), "answer one");
});

test("a problem is drawn, and asked about again", async () => {
  const { answers, ask } = question();
  const roles = new Awaited("the roles", ask);
  answers[0].reject(new Error("the store is locked"));
  await roles.asked;
  assert.match(drawn(roles), /The store is locked\. Try again/);
  const again = roles.answer();
  answers[1].resolve("one");
  assert.equal(await again, "one");
});

test("a question ends with its session", async () => {
  const roles = new Awaited("the roles", question().ask);
  signOut();
  await roles.asked;
  assert.equal(roles.problem.name, "AbortError");
  assert.ok(session().isOver);
});
