import { expect, test } from "vitest"
import { newWebhookSecret, signWebhook } from "./sign-webhook.ts"

test("a message is signed as the library `standardwebhooks` signs it", () => {
  // What version 1.1.1 of it gives for the example of its own tests.
  const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: '{"test": 2432232314}' }
  const secret = ["whsec", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"].join("_")
  expect(signWebhook(message, secret, 1_614_265_330_999)).toEqual({
    "webhook-id": message.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  })
})

test("each secret is 32 random bytes", () => {
  const [one, other] = [newWebhookSecret(), newWebhookSecret()]
  expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(one).not.toBe(other)
})
