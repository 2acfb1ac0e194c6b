import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wakeAnswer } from './wake-page.ts'

test('a pending wake is a page with 401 that loads itself again after a second [HIB-013]', () => {
  const { status, page } = wakeAnswer({ state: 'pending', instance: 'a<b>&"c"' })
  assert.equal(status, 401)
  assert.deepEqual(page?.headers, {
    'x-fleet-runtime-activation-state': 'pending',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'retry-after': '1',
  })
  assert.match(
    page?.html ?? '',
    /<meta http-equiv="refresh" content="1"><title>Waking a&lt;b&gt;&amp;&quot;c&quot;<\/title>/,
  )
  assert.doesNotMatch(page?.html ?? '', /<script|https?:/)
})

test('a failed wake is a page with 503 that says why and does not load itself again', () => {
  const { status, page } = wakeAnswer({
    state: 'failed',
    instance: 'shop/default',
    code: 'instance.wake_failed',
    message: 'The queue <b> ended.',
  })
  assert.equal(status, 503)
  assert.equal(page?.headers['x-fleet-runtime-activation-state'], 'failed')
  assert.equal(page?.headers['retry-after'], undefined)
  assert.match(page?.html ?? '', /The queue &lt;b&gt; ended\. \(instance\.wake_failed\)/)
  assert.match(page?.html ?? '', /fleet instance:show shop\/default says what is wrong/)
  assert.doesNotMatch(page?.html ?? '', /refresh/)
})

test('what is awake is let through [HIB-015]', () => {
  assert.deepEqual(wakeAnswer({ state: 'awake' }), { status: 204, body: undefined })
})
