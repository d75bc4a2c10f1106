// The official Node client against a server: openai_client.mjs URL. Ends with code 0 when all of it holds.
import assert from "node:assert/strict";
import OpenAI from "openai";

const url = process.argv[2];
const client = new OpenAI({ baseURL: url + "/v1", apiKey: "none", maxRetries: 0, timeout: 60_000 });
const model = (await client.models.list()).data[0].id;
const messages = [{ role: "user", content: "Tell me about the quick brown fox." }];
const chat = { model, messages, max_tokens: 12, temperature: 0 };
const completion = { model, prompt: "Once upon a time there was a little server that", max_tokens: 12, temperature: 0 };

const reply = await client.chat.completions.create({ ...chat, logprobs: true, top_logprobs: 2 });
assert.equal(reply.object, "chat.completion");
assert.equal(reply.choices[0].message.role, "assistant");
assert.equal(reply.choices[0].finish_reason, "length");
assert.equal(reply.choices[0].logprobs.content.length, 12);
assert.equal(reply.usage.completion_tokens, 12);

let joined = "", usage = null, reasons = [];
for await (const chunk of await client.chat.completions.create({
  ...chat, stream: true, stream_options: { include_usage: true } })) {
  joined += chunk.choices[0]?.delta.content ?? "";
  if (chunk.choices[0]?.finish_reason) reasons.push(chunk.choices[0].finish_reason);
  usage = chunk.usage;
}
assert.equal(joined, reply.choices[0].message.content);
assert.deepEqual(reasons, ["length"]);
assert.equal(usage.completion_tokens, 12);

const gathered = await client.chat.completions.stream(chat).finalChatCompletion();
assert.equal(gathered.choices[0].message.content, joined);

const text = await client.completions.create(completion);
assert.equal(text.object, "text_completion");
let streamed = "";
for await (const chunk of await client.completions.create({ ...completion, stream: true })) streamed += chunk.choices[0].text;
assert.equal(streamed, text.choices[0].text);
const stop = text.choices[0].text.slice(9, 15);
const stopped = await client.completions.create({ ...completion, stop });
assert.equal(stopped.choices[0].finish_reason, "stop");
assert.equal(stopped.choices[0].text, text.choices[0].text.slice(0, text.choices[0].text.indexOf(stop)));

await assert.rejects(client.chat.completions.create({ ...chat, model: "nope" }), OpenAI.NotFoundError);
await assert.rejects(client.chat.completions.create({ ...chat, temperature: 3 }), (error) => {
  return error instanceof OpenAI.BadRequestError && error.param === "temperature" && error.type === "BadRequestError";
});
await assert.rejects(client.completions.create({ ...completion, prompt: "", stream: true }), OpenAI.BadRequestError);

const leaving = await client.chat.completions.create({ ...chat, max_tokens: 1500, stream: true });
for await (const chunk of leaving) if (chunk.choices[0].delta.content) break;  // aborts the request
console.log("ok");
